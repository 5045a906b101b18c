// SPDX-License-Identifier: MIT
//
// A function of a number over a row. It takes lanes of any type that has the operations of port::f32x16,
// exp2_nonpositive() among them: a port may have one beside the sixteen lanes.
#pragma once

#include <cstdint>
#include <kernels/map_scaled.hpp>
#include <port.hpp>

namespace heed::detail {

/// to = f(from), each [count], the same or apart.
template <class Function>
void map_row(const float* from, std::uint32_t count, float* to, const Function& f) noexcept {
  using namespace port;
  std::uint32_t i = 0;
  for (; i + lanes <= count; i += lanes) store(to + i, f(load(from + i)));
  const int rest = static_cast<int>(count - i);
  if (rest != 0) store_partial(to + i, f(load_partial(from + i, rest)), rest);
}

}  // namespace heed::detail
