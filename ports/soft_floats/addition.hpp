// SPDX-License-Identifier: MIT
//
// Sums of floats in integer instructions. What is not normal is left to the compiler's run-time support.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/zeros_of_byte.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// Shifted left until bit 30 is set, and the exponent less by as much. x is not 0, and below 2^31.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t to_bit_30(std::uint32_t x, std::int32_t& exponent) noexcept {
  if constexpr (unit.leading_zeros) {
    const int places = std::countl_zero(x) - 1;
    exponent -= places;
    return x << places;
  } else {
    for (; x < 1U << 23; exponent -= 8) x <<= 8;
    if constexpr (unit.long_product) {
      const std::uint32_t zeros = zeros_of_byte[x >> 23];
      exponent -= static_cast<std::int32_t>(zeros);
      return x << zeros;
    } else {
      for (; x < 1U << 30; --exponent) x <<= 1;
      return x;
    }
  }
}

/// x becomes the greater magnitude of both.
template <IntegerUnit unit>
[[gnu::always_inline]] inline void put_in_order(std::uint32_t& x, std::uint32_t& y) noexcept {
  if (x << 1 < y << 1) {
    const std::uint32_t greater = y;
    y = x;
    x = greater;
  }
  // What has been told of them is told again, rather than moved where they are in order.
  if constexpr (unit.long_product && !unit.leading_zeros) asm("" : "+r"(x), "+r"(y));
}

/// The sum of numbers of these bits, rounded once, where both are normal, as is their sum, and |x| >= |y|.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool add_lesser(std::uint32_t x, std::uint32_t y,
                                                         std::uint32_t& bits) noexcept {
  std::int32_t exponent = exponent_of(x);
  const auto distance = static_cast<std::uint32_t>(exponent - exponent_of(y));
  // y is less than half of x's last place then, below a power of two as well.
  if (distance > 25) {
    bits = x;
    return true;
  }
  std::uint32_t sum = mantissa_of(x) >> 1;
  const std::uint32_t whole = mantissa_of(y) >> 1;
  std::uint32_t addend = whole >> distance;
  // The last bit is set if one that is lost was: the rounding is by bit 6 or a higher one, or nothing is lost.
  if (addend << distance != whole) addend |= 1U;
  if (static_cast<std::int32_t>(x ^ y) >= 0) {
    sum += addend;
    if (sum >= sign_bit) {
      sum = sum >> 1 | (sum & 1U);
      ++exponent;
    }
  } else {
    sum -= addend;
    if (sum == 0) {
      bits = 0;
      return true;
    }
    sum = to_bit_30<unit>(sum, exponent);
  }
  if (!is_normal(exponent)) return false;
  const std::uint32_t rounded = (sum + 63 + (sum >> 7 & 1U)) >> 7;
  bits = (x & sign_bit) | ((static_cast<std::uint32_t>(exponent - 1) << 23) + rounded);
  return true;
}

/// a + b, rounded once.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float add_numbers(float a, float b) noexcept {
  auto x = std::bit_cast<std::uint32_t>(a);
  auto y = std::bit_cast<std::uint32_t>(b);
  put_in_order<unit>(x, y);
  if (exponent_of(y) == 0) {
    if (y << 1 == 0 && is_normal(exponent_of(x))) return std::bit_cast<float>(x);
  } else if (std::uint32_t bits; exponent_of(x) != 255 && add_lesser<unit>(x, y, bits)) {
    return std::bit_cast<float>(bits);
  }
  return std::bit_cast<float>(x) + std::bit_cast<float>(y);
}

}  // namespace heed_own_code
}  // namespace heed::port
