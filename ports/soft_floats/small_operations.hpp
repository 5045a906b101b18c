// SPDX-License-Identifier: MIT
//
// Operations on floats in few bytes, for code for size: each takes its numbers apart, does what is its own, and joins
// the result, by functions that all of them share. Subnormal numbers, zeros, infinities and NaN are what IEEE-754 says;
// the sign and payload of a NaN are unspecified.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/square_root.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// mantissa * 2^(exponent - 158), the mantissa being the low word: two registers, which a structure is not returned in.
using PartsInWords = std::uint64_t;

[[nodiscard, gnu::always_inline]] inline PartsInWords in_words(std::uint32_t mantissa, std::int32_t exponent) noexcept {
  return mantissa | static_cast<std::uint64_t>(static_cast<std::uint32_t>(exponent)) << 32;
}
[[nodiscard, gnu::always_inline]] inline std::uint32_t mantissa_in(PartsInWords parts) noexcept {
  return static_cast<std::uint32_t>(parts);
}
[[nodiscard, gnu::always_inline]] inline std::int32_t exponent_in(PartsInWords parts) noexcept {
  return static_cast<std::int32_t>(parts >> 32);
}

/// With the mantissa's first bit at the top, unless it is 0.
[[nodiscard, gnu::noinline]] inline PartsInWords normalized(std::uint32_t mantissa, std::int32_t exponent) noexcept {
  if (mantissa != 0) {
    for (; mantissa < 1U << 24; exponent -= 8) mantissa <<= 8;
    for (; static_cast<std::int32_t>(mantissa) >= 0; --exponent) mantissa <<= 1;
  }
  return in_words(mantissa, exponent);
}

/// Of a number's bits without its sign: 0 leaves the mantissa 0, and what is infinite or NaN the exponent 255.
[[nodiscard, gnu::noinline]] inline PartsInWords parts_in_words(std::uint32_t bits) noexcept {
  const std::int32_t exponent = exponent_of(bits);
  if (exponent != 0) return in_words(mantissa_of(bits), exponent);
  return normalized(bits << 8, 1);
}

/// mantissa * 2^(exponent - 158), rounded to nearest even, with the sign that `sign` has. A mantissa that is not exact
/// has its last bit set, and its first or second.
[[nodiscard, gnu::noinline]] inline float joined_parts(std::uint32_t mantissa, std::int32_t exponent,
                                                       std::uint32_t sign) noexcept {
  const PartsInWords parts = normalized(mantissa, exponent);
  mantissa = mantissa_in(parts);
  exponent = exponent_in(parts) - 1;  // to which the first bit adds 1
  std::uint32_t bits = infinity_bits;
  if (mantissa == 0) {
    bits = 0;
  } else if (exponent < 254) {
    for (; exponent < 0; ++exponent) mantissa = mantissa >> 1 | (mantissa & 1U);
    const std::uint32_t up = ((mantissa & 0xFFU) + (mantissa >> 8 & 1U) + 0x7FU) >> 8;
    bits = (static_cast<std::uint32_t>(exponent) << 23) + (mantissa >> 8) + up;
  }
  return std::bit_cast<float>(bits | (sign & sign_bit));
}

/// float(number)
[[nodiscard, gnu::noinline]] inline float small_conversion(std::int32_t number) noexcept {
  const auto bits = static_cast<std::uint32_t>(number);
  return joined_parts(number < 0 ? 0U - bits : bits, 158, bits);
}

/// x to nearest even, of |x| below 2^31.
[[nodiscard, gnu::noinline]] inline std::int32_t small_rounding(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::int32_t places = 158 - exponent_of(bits);
  if (places > 32) return 0;
  const std::uint32_t mantissa = mantissa_of(bits);
  const std::uint32_t whole = mantissa >> (places - 1) >> 1;
  const std::uint32_t rest = mantissa << (32 - places);
  const auto number = static_cast<std::int32_t>(whole + (rest > sign_bit - (whole & 1U) ? 1U : 0U));
  return static_cast<std::int32_t>(bits) < 0 ? -number : number;
}

/// a + b
[[nodiscard, gnu::noinline]] inline float small_sum(float a, float b) noexcept {
  auto x = std::bit_cast<std::uint32_t>(a);
  auto y = std::bit_cast<std::uint32_t>(b);
  if (x << 1 < y << 1) {
    const std::uint32_t greater = y;
    y = x;
    x = greater;
  }
  // Beside 0 a number is what it was.
  if (y << 1 == 0) return std::bit_cast<float>(x << 1 == 0 ? x & y : x);
  // Infinity and its opposite are NaN; other infinities and NaN stay.
  if (exponent_of(x) == 255) return std::bit_cast<float>((x ^ y) == sign_bit ? x | 1U : x);
  const PartsInWords x_parts = parts_in_words(x);
  const PartsInWords y_parts = parts_in_words(y);
  std::int32_t exponent = exponent_in(x_parts);
  std::int32_t distance = exponent - exponent_in(y_parts);
  if (distance > 31) distance = 31;
  std::uint32_t sum = mantissa_in(x_parts) >> 1;
  const std::uint32_t whole = mantissa_in(y_parts) >> 1;
  std::uint32_t addend = whole >> distance;
  if (addend << distance != whole) addend |= 1U;
  if (static_cast<std::int32_t>(x ^ y) < 0) {
    sum -= addend;
    if (sum == 0) x = 0;
  } else {
    sum += addend;
  }
  return joined_parts(sum, exponent + 1, x);
}

/// Where one of them is infinite or NaN: the greater magnitude, or NaN if the other is 0.
[[nodiscard, gnu::always_inline]] inline float special_product(std::uint32_t x, std::uint32_t y) noexcept {
  const std::uint32_t sign = (x ^ y) & sign_bit;
  x <<= 1;
  y <<= 1;
  std::uint32_t bits = x > y ? x : y;
  if (x == 0 || y == 0) bits |= 2U;
  return std::bit_cast<float>(bits >> 1 | sign);
}

/// a * b
[[nodiscard, gnu::noinline]] inline float small_product(float a, float b) noexcept {
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  const PartsInWords x_parts = parts_in_words(x);
  const PartsInWords y_parts = parts_in_words(y);
  if (exponent_in(x_parts) == 255 || exponent_in(y_parts) == 255) return special_product(x, y);
  const Wide product = half_product<IntegerUnit{false, false}>(mantissa_in(x_parts), mantissa_in(y_parts));
  return joined_parts(product.high | (product.low != 0 ? 1U : 0U), exponent_in(x_parts) + exponent_in(y_parts) - 125,
                      x ^ y);
}

/// a / b
[[nodiscard, gnu::noinline]] inline float small_quotient(float a, float b) noexcept {
  const auto x = std::bit_cast<std::uint32_t>(a);
  auto y = std::bit_cast<std::uint32_t>(b);
  const PartsInWords x_parts = parts_in_words(x);
  const PartsInWords y_parts = parts_in_words(y);
  if (mantissa_in(y_parts) == 0 || exponent_in(x_parts) == 255 || exponent_in(y_parts) == 255) {
    // The inverse of 0 is infinity, and that of infinity 0.
    if ((y & ~sign_bit) == 0 || (y & ~sign_bit) == infinity_bits) y ^= infinity_bits;
    return small_product(a, std::bit_cast<float>(y));
  }
  std::uint32_t rest = mantissa_in(x_parts) >> 1;
  const std::uint32_t divisor = mantissa_in(y_parts) >> 1;
  std::uint32_t quotient = 0;
  for (int left = 31; left != 0; --left) {
    quotient <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      ++quotient;
    }
    rest <<= 1;
  }
  return joined_parts(quotient | (rest != 0 ? 1U : 0U), exponent_in(x_parts) - exponent_in(y_parts) + 128, x ^ y);
}

/// The square root of x, bit after bit as soft_square_root() has them.
[[nodiscard, gnu::noinline]] inline float small_square_root(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (bits - 1 >= infinity_bits - 1) {
    return std::bit_cast<float>(bits << 1 == 0 || bits == infinity_bits ? bits : UINT32_MAX);
  }
  const PartsInWords parts = parts_in_words(bits);
  const std::int32_t exponent = exponent_in(parts) + 127;
  const std::uint32_t root = root_of(mantissa_in(parts) >> 1 << (exponent & 1));
  // A root that ends half way is not exact, as soft_square_root() says.
  return joined_parts(root << 7 | 1U, exponent >> 1, 0);
}

/// a / b of whole numbers, b not being 0.
[[nodiscard, gnu::noinline]] constexpr std::uint32_t small_whole_quotient(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t quotient = 0;
  std::uint32_t bit = 1;
  for (; b <= a >> 1; b <<= 1) bit <<= 1;
  for (; bit != 0; bit >>= 1, b >>= 1) {
    if (a < b) continue;
    a -= b;
    quotient += bit;
  }
  return quotient;
}

/// a * b of whole numbers; whether it does not fit.
[[nodiscard, gnu::noinline]] inline bool small_overflow(std::uint32_t a, std::uint32_t b,
                                                        std::uint32_t& product) noexcept {
  product = a * b;
  return a != 0 && small_whole_quotient(UINT32_MAX, a) < b;
}

}  // namespace heed_own_code
}  // namespace heed::port
