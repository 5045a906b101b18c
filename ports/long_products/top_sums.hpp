// SPDX-License-Identifier: MIT
//
// Sums of floats in the code of a loop, for an integer unit with products of 64 bits. What few instructions do not
// tell, and what is not normal, is left to a function.
#pragma once

#include <bit>
#include <cstdint>
#include <long_products/top_products.hpp>
#include <soft_floats/addition.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// x >= 2^29 with its first bit at the top.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t to_top(std::uint32_t x, std::int32_t& exponent) noexcept {
  if constexpr (unit.leading_zeros) {
    const int places = std::countl_zero(x);
    exponent -= places;
    return x << places;
  } else {
    for (; x < sign_bit; --exponent) x <<= 1;
    return x;
  }
}

/// a + b.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float sum_here(float a, float b) noexcept {
  auto x = std::bit_cast<std::uint32_t>(a);
  auto y = std::bit_cast<std::uint32_t>(b);
  put_in_order<unit>(x, y);
  std::uint32_t bits;
  if (exponent_of(y) != 0 && exponent_of(x) != 255 && add_lesser<unit>(x, y, bits)) {
    return std::bit_cast<float>(bits);
  }
  return sum(a, b);
}

/// a * b + c, rounded once.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float fused_here(float a, float b, float c) noexcept {
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  const auto z = std::bit_cast<std::uint32_t>(c);
  const std::int32_t x_exponent = exponent_of(x);
  const std::int32_t y_exponent = exponent_of(y);
  std::int32_t exponent = exponent_of(z);
  if (is_normal(x_exponent) && is_normal(y_exponent) && is_normal(exponent)) {
    // Both below 2^31, in units of the greater exponent, of which each may lack less than one.
    std::uint32_t product = first_of_product<unit>(mantissa_of(x), mantissa_of(y) >> 1);
    std::uint32_t addend = mantissa_of(z) >> 1;
    const std::int32_t distance = exponent + 126 - x_exponent - y_exponent;
    if (distance >= 0) {
      product = distance < 32 ? product >> distance : 0U;
    } else {
      addend = distance > -32 ? addend >> -distance : 0U;
      exponent -= distance;
    }
    std::uint32_t sign = z;
    std::uint32_t total = addend + product;
    if (static_cast<std::int32_t>(x ^ y ^ z) < 0) {
      total = addend - product;
      if (product > addend) {
        total = 0U - total;
        sign = ~z;
      }
    }
    if (total >= 1U << 29) {
      total = to_top<unit>(total, exponent);
      // Two units are eight after a shift by two.
      if ((total - 0x78U) << 24 > 16U << 24 && static_cast<std::uint32_t>(exponent) < 253U) {
        return rounded_number(total, exponent, sign);
      }
    }
  }
  return fused(a, b, c);
}

/// x * x + sum, rounded once, of a sum that is not negative.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float square_added(float x, float sum) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sum_bits = std::bit_cast<std::uint32_t>(sum);
  const std::int32_t x_exponent = exponent_of(bits);
  auto exponent = static_cast<std::int32_t>(sum_bits >> 23);
  if (is_normal(x_exponent) && is_normal(exponent)) {
    // As in fused_here(), but that the sum lacks less than two units, and is not below 2^29.
    std::uint32_t square = first_of_product<unit>(mantissa_of(bits), mantissa_of(bits) >> 1);
    std::uint32_t addend = mantissa_of(sum_bits) >> 1;
    const std::int32_t distance = exponent + 126 - 2 * x_exponent;
    if (distance >= 0) {
      square = distance < 32 ? square >> distance : 0U;
    } else {
      addend = distance > -32 ? addend >> -distance : 0U;
      exponent -= distance;
    }
    const std::uint32_t total = to_top<unit>(addend + square, exponent);
    if ((total - 0x79U) << 24 >= 8U << 24 && static_cast<std::uint32_t>(exponent) < 253U) {
      return rounded_number(total, exponent, 0);
    }
  }
  return fused(x, x, sum);
}

}  // namespace heed_own_code
}  // namespace heed::port
