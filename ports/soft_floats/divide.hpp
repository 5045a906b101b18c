// SPDX-License-Identifier: MIT
//
// Quotients of floats in integer instructions. What is not normal is left to the compiler's run-time support.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/products.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// x * 2^26 / y of 24 bits each with x < 2 y, and its last bit set where it is not exact.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t divide_mantissas(std::uint32_t x, std::uint32_t y) noexcept {
  std::uint32_t quotient = 0;
  if constexpr (unit.long_product) {
    // Whoever has one also divides: 8 bits at a time, and two.
    const auto divide = [&](int bits) noexcept {
      x <<= bits;
      const std::uint32_t digits = x / y;
      quotient = (quotient << bits) + digits;
      x -= digits * y;
    };
    divide(8);
    divide(8);
    divide(8);
    divide(2);
  } else {
#pragma GCC unroll 27
    for (int i = 0; i < 27; ++i) {
      quotient <<= 1;
      if (x >= y) {
        x -= y;
        ++quotient;
      }
      x <<= 1;
    }
  }
  return quotient | (x != 0 ? 1U : 0U);
}

/// a / b, rounded once.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float divide(float a, float b) noexcept {
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  const Rounded x = normal_parts(a_bits);
  const Rounded y = normal_parts(b_bits);
  if (is_normal(x.exponent) && is_normal(y.exponent)) {
    // In [2^25, 2^27), of which 24 bits are kept.
    std::uint32_t quotient = divide_mantissas<unit>(x.mantissa, y.mantissa);
    std::int32_t exponent = x.exponent - y.exponent + 127;
    if (quotient < 1U << 26) {
      quotient <<= 1;
      --exponent;
    }
    const std::uint32_t up = ((quotient & 7U) + (quotient >> 3 & 1U) + 3U) >> 3;
    if (is_normal(exponent)) return join_parts((a_bits ^ b_bits) & sign_bit, {(quotient >> 3) + up, exponent});
  }
  return a / b;
}

/// a < b, which is false if either is NaN.
[[nodiscard, gnu::always_inline]] inline bool is_less(float a, float b) noexcept {
  const auto x = std::bit_cast<std::int32_t>(a);
  const auto y = std::bit_cast<std::int32_t>(b);
  constexpr std::uint32_t infinite = infinity_bits << 1;
  const std::uint32_t x_size = static_cast<std::uint32_t>(x) << 1;
  const std::uint32_t y_size = static_cast<std::uint32_t>(y) << 1;
  if (x_size > infinite || y_size > infinite || (x_size | y_size) == 0) return false;
  // Magnitudes of negative numbers in the opposite order.
  return (x ^ (x >> 31 & 0x7FFFFFFF)) < (y ^ (y >> 31 & 0x7FFFFFFF));
}

/// The same in code for size: shorter than the run-time support's, which has a function for each way to compare.
[[nodiscard, gnu::noinline]] inline bool is_less_apart(float a, float b) noexcept {
  return is_less(a, b);
}

}  // namespace heed_own_code
}  // namespace heed::port
