// SPDX-License-Identifier: MIT
//
// A function of a number over whole vectors, with a factor for each result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// map_scaled() of whole vectors. Out of line, because that is long for what the last numbers of a row take.
template <class Function>
[[gnu::noinline]] void map_vectors(const float* from, const float* factors, std::ptrdiff_t factor_step,
                                   std::uint32_t count, float* to) noexcept {
  using namespace port;
  for (std::uint32_t i = 0; i < count; i += lanes, factors += factor_step) {
    store(to + i, mul(Function{}(load(from + i)), load(factors)));
  }
}

}  // namespace heed::detail
