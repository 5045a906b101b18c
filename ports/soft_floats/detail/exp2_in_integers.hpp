// SPDX-License-Identifier: MIT
//
// 2^x as the shared kernel computes it, rounding for rounding, with the places of its numbers known beforehand: the
// powers of the series differ by a few places from term to term, so that nothing but the last two steps has to look for
// the first bit.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// All 64 bits of x * y.
template <port::IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline port::Wide full_product(std::uint32_t x, std::uint32_t y) noexcept {
  if constexpr (unit.long_product) {
    const std::uint64_t product = std::uint64_t{x} * y;
    return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
  } else {
    const std::uint32_t x_low = x << 16 >> 16;
    const std::uint32_t y_low = y << 16 >> 16;
    const std::uint32_t low = x_low * y_low;
    const std::uint32_t middle = (x >> 16) * y_low + (low >> 16);
    const std::uint32_t other = x_low * (y >> 16) + (middle << 16 >> 16);
    return {(x >> 16) * (y >> 16) + (middle >> 16) + (other >> 16), other << 16 | low << 16 >> 16};
  }
}

/// constant + sign * q * fraction / 2^32, all of them in units of q.
template <port::IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline port::Wide series_step(std::uint32_t q, std::uint32_t fraction, bool negative,
                                                                std::uint32_t constant) noexcept {
  const port::Wide product = full_product<unit>(q, fraction);
  if (!negative) return {constant + product.high, product.low};
  return {constant - product.high - (product.low != 0 ? 1U : 0U), 0U - product.low};
}

/// Rounded to nearest even, without `places` >= 1 bits.
[[nodiscard, gnu::always_inline]] inline std::uint32_t without_places(port::Wide x, std::uint32_t places) noexcept {
  const std::uint32_t jammed = x.high << 1 | (x.low != 0 ? 1U : 0U);
  return (jammed + ((1U << places) - 1U) + (x.high >> places & 1U)) >> (places + 1);
}

/// A term of the series in units of 2^-places.
[[nodiscard]] consteval std::uint32_t series_term(int term, int places) noexcept {
  const float value = exp2_series[term];
  return static_cast<std::uint32_t>(static_cast<double>(value < 0.0F ? -value : value) *
                                    static_cast<double>(std::uint64_t{1} << places));
}

/// f + f q(f) of a fraction of 2^-32, 0 < fraction <= 2^31, rounded to 24 bits; in units of 2^-31, the last bit set
/// where one below is.
template <port::IntegerUnit unit>
[[nodiscard, gnu::always_inline]] inline std::uint32_t exp2_of_fraction(std::uint32_t fraction,
                                                                        bool negative) noexcept {
  // 2^-10 <= q < 2^-9, then 2^-7 and 2^-6, 2^-5 and 2^-4.
  std::uint32_t q = series_term(0, 36);
  q = without_places(series_step<unit>(q, fraction, negative, series_term(1, 36)), 3);
  q = without_places(series_step<unit>(q, fraction, negative, series_term(2, 33)), 3);
  q = without_places(series_step<unit>(q, fraction, negative, series_term(3, 30)), 2);
  // On either side of 1/4.
  port::Wide sum = series_step<unit>(q, fraction, negative, series_term(4, 28));
  q = sum.high < 1U << 26 ? without_places(sum, 2) : without_places(sum, 3) << 1;
  // -q, which is below 0, and on either side of 1/4 too.
  sum = series_step<unit>(q, fraction, !negative, series_term(5, 26));
  if (sum.high < 1U << 24) {
    q = sum.high + (sum.low > port::sign_bit - (sum.high & 1U) ? 1U : 0U);
  } else {
    q = without_places(sum, 1) << 1;
  }
  // f (1 + q), of 57 bits at most.
  port::Wide product = full_product<unit>(fraction, (1U << 26) - q);
  const auto shift = static_cast<std::uint32_t>(port::normalize<unit>(product)) - 6;
  // 24 bits at the top, in units of 2^-32 of 2^-shift.
  const std::uint32_t jammed = product.high | (product.low != 0 ? 1U : 0U);
  const std::uint32_t rounded = (jammed >> 8) + (((jammed & 0xFFU) + (jammed >> 8 & 1U) + 0x7FU) >> 8);
  const std::uint32_t number = rounded << 7;  // at most 2^31
  if (shift > 31) return 1;
  return number >> shift | (number << (31 - shift) << 1 != 0 ? 1U : 0U);
}

/// 2^x where -125 < x <= -2^-8.
[[nodiscard, gnu::always_inline]] inline bool has_exp2_in_integers(float x) noexcept {
  return std::bit_cast<std::uint32_t>(x) - 0xBB800000U < 0xC2FA0000U - 0xBB800000U;
}
template <port::IntegerUnit unit>
[[nodiscard, gnu::noinline]] float exp2_in_integers(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto exponent = static_cast<std::uint32_t>(port::exponent_of(bits));
  const std::uint32_t mantissa = bits << 9 >> 9 | 1U << 23;
  // -x = octaves - f; of two that are as near, the odd one.
  std::uint32_t octaves;
  std::int32_t fraction;  // f, in units of 2^-31
  if (exponent >= 127) {
    const std::uint32_t size = mantissa << (exponent - 127);
    octaves = size >> 23;
    fraction = -static_cast<std::int32_t>(size << 9 >> 1);
  } else {
    octaves = 0;
    fraction = -static_cast<std::int32_t>(mantissa << (exponent - 119));
  }
  // Beyond a half, or at a half after an even number of octaves; below, 2^31 is an octave.
  constexpr std::int32_t half = -(1 << 30);
  if (fraction < half || (fraction == half && octaves % 2 == 0)) {
    fraction = static_cast<std::int32_t>(static_cast<std::uint32_t>(fraction) + port::sign_bit);
    ++octaves;
  }
  std::uint32_t sum = port::sign_bit;  // 1 + f + f q(f), in units of 2^-31
  if (fraction > 0) sum += exp2_of_fraction<unit>(static_cast<std::uint32_t>(fraction) << 1, false);
  if (fraction < 0) sum -= exp2_of_fraction<unit>(0U - static_cast<std::uint32_t>(fraction) * 2, true);
  std::uint32_t power = 126 - octaves;  // to which the first bit adds 1
  if (sum < port::sign_bit) {
    sum <<= 1;
    --power;
  }
  const std::uint32_t up = ((sum & 0xFFU) + (sum >> 8 & 1U) + 0x7FU) >> 8;
  return std::bit_cast<float>((power << 23) + (sum >> 8) + up);
}

}  // namespace heed::detail
