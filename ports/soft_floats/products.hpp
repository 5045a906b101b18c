// SPDX-License-Identifier: MIT
//
// Products of floats in integer instructions, alone and with what kernels of integers do to them, each step rounded as
// the operations on floats round it. What is not normal is left to the compiler's run-time support.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/zeros_of_byte.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// mantissa * 2^(exponent - 150), with 24 bits of which the first is set; or 2^24, where rounding led there.
struct Rounded {
  std::uint32_t mantissa;
  std::int32_t exponent;
};

/// The first 24 bits of 48 that x and y of 24 bits have as a product, and the other 24 at the top of a word.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline Wide product_in_halves(std::uint32_t x, std::uint32_t y) noexcept {
  if constexpr (unit.long_product) {
    const std::uint64_t product = std::uint64_t{x} * (y << 8);
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
  } else {
    const std::uint32_t x_high = x >> 12;
    const std::uint32_t y_high = y >> 12;
    const std::uint32_t x_low = x << 20 >> 20;
    const std::uint32_t y_low = y << 20 >> 20;
    const std::uint32_t middle = x_high * y_low + x_low * y_high;
    const std::uint32_t low = x_low * y_low + (middle << 20 >> 8);
    return {x_high * y_high + (middle >> 12) + (low >> 24), low << 8};
  }
}

/// Of mantissas of 24 bits that have their first bit set.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline Rounded multiply_parts(Rounded a, Rounded b) noexcept {
  Wide product = product_in_halves<unit>(a.mantissa, b.mantissa);
  std::int32_t exponent = a.exponent + b.exponent - 126;
  if (product.high < 1U << 23) {
    product = {product.high << 1 | product.low >> 31, product.low << 1};
    --exponent;
  }
  // The lowest bits are 0, so that nothing is carried.
  return {product.high + (product.low + (product.high & 1U) > sign_bit ? 1U : 0U), exponent};
}

[[nodiscard, gnu::always_inline]] inline Rounded normal_parts(std::uint32_t bits) noexcept {
  return {bits << 8 >> 8 | 1U << 23, exponent_of(bits)};
}

/// Of a normal number.
[[nodiscard, gnu::always_inline]] inline float join_parts(std::uint32_t sign, Rounded x) noexcept {
  return std::bit_cast<float>(sign | ((static_cast<std::uint32_t>(x.exponent - 1) << 23) + x.mantissa));
}

/// The first 32 bits of x * y / 2^32, of mantissas at the top of their words.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t first_of_product(std::uint32_t x, std::uint32_t y) noexcept {
  if constexpr (unit.long_product) {
    return static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32);
  } else {
    const std::uint32_t x_high = x >> 20;
    const std::uint32_t y_high = y >> 20;
    const std::uint32_t x_low = x << 12 >> 20;
    const std::uint32_t y_low = y << 12 >> 20;
    const std::uint32_t middle = x_high * y_low + x_low * y_high + (x_low * y_low >> 12);
    return (x_high * y_high << 8) + (middle >> 4);
  }
}

/// x = x * y rounded to 24 bits, all at the top, of which the lowest 8 are lost, and the exponent one less where there
/// is a place for it; 0 at the top if it is rounded up to a power of two. False if that is not enough to round by: half
/// way by the bits at hand.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool multiply_to_top(std::uint32_t& x, std::uint32_t y,
                                                              std::int32_t& exponent) noexcept {
  x = first_of_product<unit>(x, y);
  if (x < sign_bit) {
    x <<= 1;
    --exponent;
  }
  x += 0x80;
  return x << 24 != 0;
}

/// The same, but false as well if it is rounded up to a power of two, or x was 0.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool multiply_tops(std::uint32_t& x, std::uint32_t y,
                                                            std::int32_t& exponent) noexcept {
  return multiply_to_top<unit>(x, y, exponent) && x >= sign_bit;
}

/// a * b, rounded once.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float multiply(float a, float b) noexcept {
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  const std::int32_t a_exponent = exponent_of(a_bits);
  const std::int32_t b_exponent = exponent_of(b_bits);
  if (is_normal(a_exponent) && is_normal(b_exponent)) {
    std::uint32_t top = mantissa_of(a_bits);
    std::int32_t exponent = a_exponent + b_exponent - 127;  // to which the first bit adds 1
    const bool rounded = multiply_tops<unit>(top, mantissa_of(b_bits), exponent);
    if (rounded && static_cast<std::uint32_t>(exponent) < 254U) {
      return std::bit_cast<float>(((a_bits ^ b_bits) & sign_bit) |
                                  ((static_cast<std::uint32_t>(exponent) << 23) + (top >> 8)));
    }
    const Rounded product = multiply_parts<unit>(normal_parts(a_bits), normal_parts(b_bits));
    if (is_normal(product.exponent)) return join_parts((a_bits ^ b_bits) & sign_bit, product);
  } else if ((a_bits << 1 == 0 && b_exponent != 255) || (b_bits << 1 == 0 && a_exponent != 255)) {
    return std::bit_cast<float>((a_bits ^ b_bits) & sign_bit);
  }
  return a * b;
}

/// An integer that is not 0, and whose magnitude is below 2^24, at the top; the exponent less by the places above its
/// first bit.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t magnitude_at_top(std::uint32_t magnitude,
                                                                        std::int32_t& exponent) noexcept {
  if constexpr (unit.leading_zeros) {
    const int zeros = std::countl_zero(magnitude);
    exponent -= zeros - 8;
    return magnitude << zeros;
  } else if constexpr (unit.long_product) {
    magnitude <<= 8;
    if (magnitude < 1U << 24) {
      magnitude <<= 8;
      exponent -= 8;
      if (magnitude < 1U << 24) {
        magnitude <<= 8;
        exponent -= 8;
      }
    }
    const std::uint32_t zeros = zeros_of_byte[magnitude >> 24];
    exponent -= static_cast<std::int32_t>(zeros);
    return magnitude << zeros;
  } else {
    magnitude <<= 8;
#pragma GCC unroll 4
    for (int count = 12; count != 0; count /= 2) {
      if (magnitude < 1U << (32 - count)) {
        magnitude <<= count;
        exponent -= count;
      }
    }
    // 12, 6, 3 and 1 places are 22.
    if (magnitude < sign_bit) {
      magnitude <<= 1;
      --exponent;
    }
    return magnitude;
  }
}

/// The same as a float's parts.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline Rounded integer_parts(std::uint32_t magnitude) noexcept {
  std::int32_t exponent = 150;
  const std::uint32_t mantissa = magnitude_at_top<unit>(magnitude, exponent) >> 8;
  return {mantissa, exponent};
}

/// float(sum) * (scale * row_scale) where one of them is 0, as keys are that a panel has no token for yet, or not
/// normal.
[[nodiscard, gnu::noinline]] inline float scaled_sum_special(std::int32_t sum, float scale, float row_scale) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(scale);
  const auto row_bits = std::bit_cast<std::uint32_t>(row_scale);
  const std::int32_t exponent = exponent_of(bits);
  const std::int32_t row_exponent = exponent_of(row_bits);
  // The product of the scales is finite.
  if ((sum == 0 || bits << 1 == 0 || row_bits << 1 == 0) && exponent != 255 && row_exponent != 255 &&
      exponent + row_exponent < 380) {
    return std::bit_cast<float>((static_cast<std::uint32_t>(sum) ^ bits ^ row_bits) & sign_bit);
  }
  return static_cast<float>(sum) * (scale * row_scale);
}

/// float(sum) * (scale * row_scale), each step rounded.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] float scaled_sum(std::int32_t sum, float scale, float row_scale) noexcept {
  if constexpr (for_size) return static_cast<float>(sum) * (scale * row_scale);
  const auto bits = std::bit_cast<std::uint32_t>(scale);
  const auto row_bits = std::bit_cast<std::uint32_t>(row_scale);
  const Rounded x = normal_parts(bits);
  const Rounded y = normal_parts(row_bits);
  const std::uint32_t sign = sum < 0 ? sign_bit : 0U;
  const std::uint32_t magnitude = sum < 0 ? 0U - static_cast<std::uint32_t>(sum) : static_cast<std::uint32_t>(sum);
  if (magnitude - 1U < 0xFFFFFFU && is_normal(x.exponent) && is_normal(y.exponent)) {
    Rounded factor = multiply_parts<unit>(x, y);
    if (factor.mantissa == 1U << 24) factor = {1U << 23, factor.exponent + 1};
    if (is_normal(factor.exponent)) {
      const Rounded product = multiply_parts<unit>(integer_parts<unit>(magnitude), factor);
      if (is_normal(product.exponent)) return join_parts(sign ^ ((bits ^ row_bits) & sign_bit), product);
    }
  }
  return scaled_sum_special(sum, scale, row_scale);
}

/// What a row's scale has in common for all outputs.
struct RowScale {
  float value;
  std::uint32_t mantissa;  ///< at the top
  std::int32_t exponent;
  std::uint32_t least;  ///< scales from the number of these bits on, `count` of them, leave every step a normal number
  std::uint32_t count;
};

[[nodiscard]] inline RowScale row_scale_of(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::int32_t exponent = exponent_of(bits);
  RowScale row{value, mantissa_of(bits), exponent, 0, 0};
  if (static_cast<std::int32_t>(bits) <= 0 || !is_normal(exponent)) return row;
  // The product of the scales has an exponent below their sum - 126, the sum of integers one below 24.
  const std::int32_t least = exponent < 127 ? 128 - exponent : 1;
  const std::int32_t end = exponent > 102 ? 357 - exponent : 255;
  row.least = static_cast<std::uint32_t>(least) << 23;
  row.count = static_cast<std::uint32_t>(end - least) << 23;
  return row;
}

/// x * share / 2^places where that is a normal number and a share at most 1: the float is `product` then.
template <IntegerUnit unit, int places>
[[nodiscard, gnu::always_inline]] inline bool multiply_by_share(float x, std::uint32_t share, float& product) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  std::int32_t exponent = exponent_of(bits);
  if (share == 0 || !is_normal(exponent)) return false;
  exponent += 23 - places;
  std::uint32_t top = magnitude_at_top<unit>(share, exponent);
  if (!multiply_tops<unit>(top, mantissa_of(bits), exponent) || exponent < 0) return false;
  product = std::bit_cast<float>((bits & sign_bit) | ((static_cast<std::uint32_t>(exponent) << 23) + (top >> 8)));
  return true;
}

/// product = float(sum) * (scale * row.value), each step rounded, where that is a normal number and every step as well;
/// false where it is not, or takes more than this to tell.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline bool scale_by_row(std::int32_t sum, float scale, const RowScale& row,
                                                           float& product) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(scale);
  const std::uint32_t magnitude = sum < 0 ? 0U - static_cast<std::uint32_t>(sum) : static_cast<std::uint32_t>(sum);
  if (bits - row.least >= row.count) return false;
  // 0 at the top of a word, where it can be brought there, is 0, which is no product.
  constexpr bool takes_zero = unit.long_product && !unit.leading_zeros;
  if (takes_zero ? magnitude >= 1U << 24 : magnitude - 1U >= 0xFFFFFFU) return false;
  std::uint32_t factor = mantissa_of(bits);
  std::int32_t exponent = static_cast<std::int32_t>(bits >> 23) + row.exponent - 103;
  // A factor that is rounded up to a power of two is 0 here, and so is the product, which is none then.
  if (!multiply_to_top<unit>(factor, row.mantissa, exponent)) return false;
  std::uint32_t top = magnitude_at_top<unit>(magnitude, exponent);
  if (!multiply_tops<unit>(top, factor & ~0xFFU, exponent)) return false;
  product = std::bit_cast<float>((static_cast<std::uint32_t>(sum) & sign_bit) |
                                 ((static_cast<std::uint32_t>(exponent) << 23) + (top >> 8)));
  return true;
}

/// |x * factor| as below, by the whole product.
template <IntegerUnit unit>
[[nodiscard, gnu::noinline]] std::int32_t rounded_magnitude(Rounded a, Rounded b) noexcept {
  const Rounded product = multiply_parts<unit>(a, b);
  if (product.exponent < 126) return 0;                // below a half
  const std::int32_t places = 150 - product.exponent;  // 24 at most
  const std::uint32_t whole = product.mantissa >> places;
  const std::uint32_t rest = product.mantissa << (32 - places);
  return static_cast<std::int32_t>(whole + (rest > sign_bit - (whole & 1U) ? 1U : 0U));
}

/// x * factor rounded, and that to an integer, to nearest even, within -2^21..2^21. x and factor are finite, and no x
/// below 2^-126 matters: factor is at most 2^107.
template <IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::int32_t rounded_product(float x, float factor) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto factor_bits = std::bit_cast<std::uint32_t>(factor);
  const std::int32_t places = 284 - exponent_of(bits) - exponent_of(factor_bits);
  if (places > 32) return 0;  // below a half
  const std::uint32_t top = first_of_product<unit>(mantissa_of(bits), mantissa_of(factor_bits));
  // What the first rounding changes is less than 2^9 of top, hence 2^24 of the rest.
  constexpr std::uint32_t margin = 1U << 24;
  const std::uint32_t rest = top << (32 - places) % 32;
  std::int32_t number;
  if (places >= 17 && places < 32 && rest - (sign_bit - margin) >= 2 * margin) {
    number = static_cast<std::int32_t>((top >> places) + (rest >> 31));
  } else {
    number = rounded_magnitude<unit>(normal_parts(bits), normal_parts(factor_bits));
  }
  return static_cast<std::int32_t>(bits) < 0 ? -number : number;
}

}  // namespace heed_own_code
}  // namespace heed::port
