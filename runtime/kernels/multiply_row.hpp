// SPDX-License-Identifier: MIT
//
// A row of floats times a number.
#pragma once

#include <cstdint>
#include <kernels/map.hpp>

#include "common/all_lanes.hpp"

namespace heed::detail {

/// to = from * factor, `count` numbers each, the same or apart.
inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  map_row(from, count, to, [factor]<class Lanes>(const Lanes& x) noexcept { return mul(x, all_lanes<Lanes>(factor)); });
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  map_row(from, count, to, [factor]<class Lanes>(const Lanes& x) noexcept {
    constexpr auto all = all_lanes<Lanes>;
    return fma(x, all(factor), all(0.0F));
  });
}

}  // namespace heed::detail
