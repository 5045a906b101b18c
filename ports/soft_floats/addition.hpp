// SPDX-License-Identifier: MIT
//
// Sums of floats in integer instructions. What is not normal is left to the compiler's run-time support.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>

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
    for (; x < 1U << 30; --exponent) x <<= 1;
    return x;
  }
}

/// a + b, rounded once.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float add_numbers(float a, float b) noexcept {
  auto x = std::bit_cast<std::uint32_t>(a);
  auto y = std::bit_cast<std::uint32_t>(b);
  if (x << 1 < y << 1) {
    const std::uint32_t greater = y;
    y = x;
    x = greater;
  }
  std::int32_t exponent = exponent_of(x);
  const std::int32_t y_exponent = exponent_of(y);
  if (exponent == 255 || y_exponent == 0) {
    return y << 1 == 0 && is_normal(exponent) ? std::bit_cast<float>(x) : a + b;
  }
  const auto distance = static_cast<std::uint32_t>(exponent - y_exponent);
  // y is less than half of x's last place then, below a power of two as well.
  if (distance > 25) return std::bit_cast<float>(x);
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
    if (sum == 0) return 0.0F;
    sum = to_bit_30<unit>(sum, exponent);
  }
  if (!is_normal(exponent)) return a + b;
  const std::uint32_t rounded = (sum + 63 + (sum >> 7 & 1U)) >> 7;
  return std::bit_cast<float>((x & sign_bit) | ((static_cast<std::uint32_t>(exponent - 1) << 23) + rounded));
}

}  // namespace heed_own_code
}  // namespace heed::port
