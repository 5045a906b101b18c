// SPDX-License-Identifier: MIT
//
// Functions of a number over a row, four lanes at a time, of which the last are masked.
#pragma once

#include <cstdint>
#include <kernels/map_scaled.hpp>
#include <port.hpp>

#include "../detail/quad.hpp"

namespace heed::detail {

/// to = f(from), each [count], the same or apart.
template <class Function>
[[gnu::always_inline]] inline void map_row(const float* from, std::uint32_t count, float* to,
                                           const Function& f) noexcept {
  for (std::uint32_t quads = count / 4; quads != 0; --quads, from += 4, to += 4) {
    port::store_quad(to, f(port::Quad(port::load_quad(from))).lanes);
  }
  if (count % 4 == 0) return;
  const mve_pred16_t there = vctp32q(count % 4);
  port::store_quad(to, f(port::Quad(port::load_quad(from, there))).lanes, there);
}

}  // namespace heed::detail
