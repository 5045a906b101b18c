// SPDX-License-Identifier: MIT
//
// Products of floats in the code of a loop, from the first 32 of their 48 bits: for an integer unit with products of 64
// bits. What those do not tell, and what is not normal, is left to a function.
#pragma once

#include <bit>
#include <cstdint>
#include <single_operations.hpp>
#include <soft_floats/products.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// The first 32 bits of x * y, mantissas at the top of their words, of which the first is set; the exponent is one less
/// where there was a place above it.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t top_of_product(std::uint32_t x, std::uint32_t y,
                                                                      std::int32_t& exponent) noexcept {
  std::uint32_t top = first_of_product<unit>(x, y);
  if constexpr (unit.leading_zeros) {
    const int places = std::countl_zero(top);
    exponent -= places;
    return top << places;
  } else {
    if (top < sign_bit) {
      top <<= 1;
      --exponent;
    }
    return top;
  }
}

/// Whether a number is rounded by its first 32 bits as by all of them: it is not half way by those.
[[nodiscard, gnu::always_inline]] inline bool rounds_alike(std::uint32_t top) noexcept {
  return top << 24 != sign_bit;
}

/// Rounded to 24 bits at the top; false if it does not round alike, or becomes a power of two.
[[nodiscard, gnu::always_inline]] inline bool round_at_top(std::uint32_t& top) noexcept {
  top += 0x80;
  if (top << 24 == 0 || top < sign_bit) return false;
  top &= ~0xFFU;
  return true;
}

/// +-top * 2^(exponent - 157), rounded, which is normal; with the sign of `signed_bits`.
[[nodiscard, gnu::always_inline]] inline float rounded_number(std::uint32_t top, std::int32_t exponent,
                                                              std::uint32_t signed_bits) noexcept {
#if defined(__thumb2__)
  // The carry of the shift is what is rounded by.
  asm("lsrs %[top], %[top], #8\n"
      "adc %[top], %[top], %[exponent], lsl #23\n"
      "bfi %[bits], %[top], #0, #31\n"
      : [top] "+&r"(top), [bits] "+&r"(signed_bits)
      : [exponent] "r"(exponent)
      : "cc");
  return std::bit_cast<float>(signed_bits);
#else
  const std::uint32_t rounded = ((top >> 7) + 1) >> 1;
  return std::bit_cast<float>((signed_bits & sign_bit) | ((static_cast<std::uint32_t>(exponent) << 23) + rounded));
#endif
}

/// product = x * y, whose exponents are added: false if one of the three is not normal, or the first bits do not tell.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool multiply_normal(float x, float y, float& product) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto others = std::bit_cast<std::uint32_t>(y);
  const std::int32_t x_exponent = exponent_of(bits);
  const std::int32_t y_exponent = exponent_of(others);
  if (!is_normal(x_exponent) || !is_normal(y_exponent)) return false;
  std::int32_t exponent = x_exponent + y_exponent - 127;
  const std::uint32_t top = top_of_product<unit>(mantissa_of(bits), mantissa_of(others), exponent);
  if (!rounds_alike(top) || static_cast<std::uint32_t>(exponent) >= 253U) return false;
  product = rounded_number(top, exponent, bits ^ others);
  return true;
}

/// x * row.value.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float multiplied(float x, const RowScale& row) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = bits & ~sign_bit;
  if (size - row.least < row.count) {
    std::int32_t exponent = static_cast<std::int32_t>(size >> 23) + row.exponent - 127;
    const std::uint32_t top = top_of_product<unit>(mantissa_of(bits), row.mantissa, exponent);
    if (rounds_alike(top)) return rounded_number(top, exponent, bits);
  }
  return product(x, row.value);
}

/// product = x * row.value * y, each step rounded; false where a step is not normal, or the first bits do not tell.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool multiply_both(float x, const RowScale& row, float y,
                                                            float& product) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto others = std::bit_cast<std::uint32_t>(y);
  const std::uint32_t size = bits & ~sign_bit;
  const std::int32_t y_exponent = exponent_of(others);
  if (size - row.least >= row.count || !is_normal(y_exponent)) return false;
  std::int32_t exponent = static_cast<std::int32_t>(size >> 23) + row.exponent + y_exponent - 253;
  std::uint32_t top = top_of_product<unit>(mantissa_of(bits), row.mantissa, exponent);
  if (!round_at_top(top)) return false;
  top = top_of_product<unit>(top, mantissa_of(others), exponent);
  if (!rounds_alike(top) || static_cast<std::uint32_t>(exponent) >= 253U) return false;
  product = rounded_number(top, exponent, bits ^ others);
  return true;
}

/// product = x * (share / 2^places) * y, each step rounded, of a share at most 1; false as above.
template <IntegerUnit unit, int places>
[[nodiscard, gnu::always_inline]] inline bool multiply_share(float x, std::uint32_t share, float y,
                                                             float& product) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto others = std::bit_cast<std::uint32_t>(y);
  std::int32_t exponent = exponent_of(bits);
  const std::int32_t y_exponent = exponent_of(others);
  // x times the least share is normal.
  if (share == 0 || static_cast<std::uint32_t>(exponent - places - 1) >= 254U - places || !is_normal(y_exponent)) {
    return false;
  }
  exponent += y_exponent - 103 - places;
  std::uint32_t top = magnitude_at_top<unit>(share, exponent);
  top = top_of_product<unit>(top, mantissa_of(bits), exponent);
  if (!round_at_top(top)) return false;
  top = top_of_product<unit>(top, mantissa_of(others), exponent);
  if (!rounds_alike(top) || static_cast<std::uint32_t>(exponent) >= 253U) return false;
  product = rounded_number(top, exponent, bits ^ others);
  return true;
}

/// float(sum) * row.value, each step rounded.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline float multiplied_sum(std::int32_t sum, const RowScale& row) noexcept {
  const std::uint32_t magnitude = sum < 0 ? 0U - static_cast<std::uint32_t>(sum) : static_cast<std::uint32_t>(sum);
  // A sum is below 2^24 as a scale's range expects it; of scales from 2^-126 on the product is normal.
  if (magnitude - 1U < 0xFFFFFFU && row.count != 0 && row.exponent < 230) {
    std::int32_t exponent = row.exponent + 23;
    std::uint32_t top = magnitude_at_top<unit>(magnitude, exponent);
    top = top_of_product<unit>(top, row.mantissa, exponent);
    if (rounds_alike(top)) return rounded_number(top, exponent, static_cast<std::uint32_t>(sum));
  }
  return product(static_cast<float>(sum), row.value);
}

}  // namespace heed_own_code
}  // namespace heed::port
