// SPDX-License-Identifier: MIT
//
// A row of floats times a number, which is taken apart once; in code for size each product is a call.
#pragma once

#include <bit>
#include <cstdint>
#include <long_products/top_products.hpp>

namespace heed::detail {

[[nodiscard, gnu::always_inline]] inline float multiplied_in_row(float x, const port::RowScale& factor) noexcept {
#ifdef __OPTIMIZE_SIZE__
  return port::product(x, factor.value);
#else
  return port::multiplied<port::integer_unit>(x, factor);
#endif
}

/// to = from * factor, `count` numbers each, the same or apart.
inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  const port::RowScale scale = port::row_scale_of(factor);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < count; ++i) to[i] = multiplied_in_row(from[i], scale);
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  const port::RowScale scale = port::row_scale_of(factor);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(multiplied_in_row(from[i], scale));
    to[i] = std::bit_cast<float>(bits == port::sign_bit ? 0 : bits);
  }
}

}  // namespace heed::detail
