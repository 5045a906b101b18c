// SPDX-License-Identifier: MIT
//
// A row of floats times a number, whose scale is taken apart once.
#pragma once

#include <cstdint>
#include <long_products/top_products.hpp>

namespace heed::detail {

/// to = from * factor, `count` numbers each, the same or apart.
inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  const port::RowScale scale = port::row_scale_of(factor);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < count; ++i) to[i] = port::multiplied<port::integer_unit>(from[i], scale);
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  const port::RowScale scale = port::row_scale_of(factor);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < count; ++i) {
    const float product = port::multiplied<port::integer_unit>(from[i], scale);
    to[i] = product == 0.0F ? 0.0F : product;
  }
}

}  // namespace heed::detail
