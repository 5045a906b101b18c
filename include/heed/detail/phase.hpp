// SPDX-License-Identifier: MIT
//
// Phases as fractions of a full turn, in exact integers: a step times a position wraps around at a full turn just as
// unsigned multiplication wraps around at 2^64. So no range reduction is needed, and all of a phase's error is the
// position times the rounding of its step. In include/, because tables are computed with it at compile time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "heed/types.hpp"

namespace heed::detail {

/// An angle, in units of 2^-64 of a full turn.
using Phase = std::uint64_t;

/// floor(a * b / 2^64): the product of two fractions of 2^64, less than one unit too small.
[[nodiscard]] constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t low = UINT32_MAX;
  const std::uint64_t carried = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  const std::uint64_t crossed = (a & low) * (b >> 32) + (carried & low);
  return (a >> 32) * (b >> 32) + (carried >> 32) + (crossed >> 32);
}

/// Zero bits in front of a value that is not 0. A CPU without an instruction for it, as RISC-V without Zbb, would have
/// std::countl_zero call the compiler's run-time library, which the archive does without.
[[nodiscard]] constexpr int leading_zeros(std::uint64_t value) noexcept {
  int zeros = 0;
  for (int half = 32; half > 0; half /= 2) {
    if (value >> (64 - half) != 0) continue;
    value <<= half;
    zeros += half;
  }
  return zeros;
}

inline constexpr std::uint64_t log_2 = 0xB17217F7D1CF79ACU;          ///< ln 2
inline constexpr std::uint64_t quarter_of_pi = 0xC90FDAA22168C235U;  ///< pi / 4
inline constexpr Phase radian = 0x28BE60DB9391054AU;                 ///< 1 / (2 pi) of a full turn

/// A number from 0 up to 2^32, in units of 2^-96.
struct Exponent {
  std::uint32_t integer = 0;
  std::uint64_t fraction = 0;  ///< in units of 2^-64
  std::uint32_t tail = 0;      ///< in units of 2^-96
};

/// log2(x) of a finite x above 1, less than 2^-61 too small. Squaring the mantissa moves the next binary digit of the
/// logarithm to its front.
[[nodiscard]] constexpr Exponent binary_logarithm(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  Exponent result{.integer = (bits >> 23) - 127};
  std::uint64_t mantissa = std::uint64_t{(bits & 0x7FFFFFU) | 0x800000U} << 40;  // 1 <= mantissa / 2^63 < 2
  for (int digit = 0; digit < 64; ++digit) {
    const std::uint64_t square = multiply_high(mantissa, mantissa);  // in units of 2^-62
    const bool two_or_more = (square >> 63) != 0;
    mantissa = two_or_more ? square : square << 1;
    result.fraction = (result.fraction << 1) | (two_or_more ? 1U : 0U);
  }
  return result;
}

/// x / divisor, less than 2^-96 too small, by long division in digits of sixteen bits; x < 2^15, 1 <= divisor <= 65536.
[[nodiscard]] constexpr Exponent divide(const Exponent& x, std::uint32_t divisor) noexcept {
  Exponent quotient{.integer = x.integer / divisor};
  std::uint32_t remainder = x.integer % divisor;  // below 2^16, so the next digit fits after it
  const auto next_digit = [&remainder, divisor](std::uint32_t digit) {
    const std::uint32_t dividend = (remainder << 16) | digit;
    remainder = dividend % divisor;
    return dividend / divisor;
  };
  for (int shift = 48; shift >= 0; shift -= 16) {
    quotient.fraction =
        (quotient.fraction << 16) | next_digit(static_cast<std::uint32_t>(x.fraction >> shift) & 0xFFFFU);
  }
  quotient.tail = next_digit(x.tail >> 16) << 16;
  quotient.tail |= next_digit(x.tail & 0xFFFFU);
  return quotient;
}

/// (1 - 2^-x) for a fraction x < 1/16 of 2^64: the Taylor series x (c1 - x (c2 - ...)) with c[n] = ln(2)^n / n!, up to
/// n = 9. What it leaves out is below 2^-67.
[[nodiscard]] constexpr std::uint64_t one_minus_exp2(std::uint64_t x) noexcept {
  struct Terms {
    std::uint64_t c[9];
  };
  constexpr Terms terms = [] {
    Terms made{{log_2}};
    for (std::size_t n = 1; n < 9; ++n) made.c[n] = multiply_high(made.c[n - 1], log_2) / (n + 1);
    return made;
  }();
  std::uint64_t sum = terms.c[8];
  for (std::size_t n = 8; n-- > 0;) sum = terms.c[n] - multiply_high(sum, x);
  return multiply_high(sum, x);
}

struct SixteenthPowers {
  std::uint64_t values[16];
};

/// 2^(-j / 16) / (2 pi), at most 6 units from the exact value.
inline constexpr SixteenthPowers sixteenth_powers = [] {
  SixteenthPowers made{{radian}};
  std::uint64_t power = UINT64_MAX;
  for (std::size_t j = 1; j < 16; ++j) {
    power -= multiply_high(power, one_minus_exp2(std::uint64_t{1} << 60));
    made.values[j] = multiply_high(power, radian);
  }
  return made;
}();

/// The frequencies base^(-2 i / dim) of a positional encoding, 0 <= 2 i < dim as a rule and i < 65536 at most.
struct Frequencies {
  Exponent octaves{};  ///< 2 log2(base) / dim: how far one frequency lies below the one before it

  /// The phase that frequency i gains per position: base^(-2 i / dim) / (2 pi) of a full turn, with an error below
  /// 2^-60 turns, whatever the base. At positions below 2^32 the error of a phase is therefore below 2^-28 turns.
  [[nodiscard]] constexpr Phase step(std::uint32_t i) const noexcept {
    const std::uint64_t carry = octaves.tail * std::uint64_t{i} >> 32;  // below 2^16
    const std::uint64_t fraction = octaves.fraction * i + carry;
    const std::uint32_t halvings = octaves.integer * i +
                                   static_cast<std::uint32_t>(multiply_high(octaves.fraction, i)) +
                                   (fraction < carry ? 1U : 0U);
    if (halvings >= 64) return 0;
    const std::uint64_t power = sixteenth_powers.values[fraction >> 60];
    return (power - multiply_high(power, one_minus_exp2(fraction & (UINT64_MAX >> 4)))) >> halvings;
  }
};

/// The frequencies of `dim` columns, 1..65536; base is finite and above 1.
[[nodiscard]] constexpr Frequencies frequencies(float base, std::uint32_t dim) noexcept {
  Exponent twice = binary_logarithm(base);
  twice.integer = twice.integer * 2 + static_cast<std::uint32_t>(twice.fraction >> 63);
  twice.fraction <<= 1;
  return {divide(twice, dim)};
}

/// The phase of a position, exactly step * position modulo one turn.
[[nodiscard]] constexpr Phase phase_at(Phase step, std::uint32_t position) noexcept {
  return step * position;
}

/// A Taylor series c0 - v (c1 - v (c2 - ... c6)) for v <= 1/4. Its value is off by less than 2^-39.
struct CircularSeries {
  std::uint64_t first;    ///< c0, in units of 2^-64
  std::uint64_t second;   ///< c1, in units of 2^-64
  std::uint32_t rest[5];  ///< c2 .. c6, in units of 2^-36: 32 bits suffice after the factor v^2

  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t v) const noexcept {
    std::uint64_t sum = rest[4];
    for (std::size_t k = 4; k-- > 0;) sum = rest[k] - (sum * (v >> 32) >> 32);
    return first - multiply_high(second - multiply_high(sum << 28, v), v);
  }
};

/// The series whose first term has the given degree: each term is (pi / 2)^2 / ((degree + 1)(degree + 2)) times the one
/// before it.
[[nodiscard]] consteval CircularSeries circular_series(std::uint64_t first, std::uint64_t degree) {
  const auto next = [&degree](std::uint64_t term) {
    const std::uint64_t product = multiply_high(term, multiply_high(quarter_of_pi, quarter_of_pi));
    degree += 2;
    return product / (degree * (degree - 1)) * 4;
  };
  CircularSeries series{first, next(first), {}};
  std::uint64_t term = series.second;
  for (std::uint32_t& value : series.rest) {
    term = next(term);
    value = static_cast<std::uint32_t>((term + (1U << 27)) >> 28);
  }
  return series;
}

/// sin(pi u / 2) / (2 u) and (1 - cos(pi u / 2)) / (2 u^2) as series in v = u^2; u is counted in quarter turns, u <=
/// 1/2.
inline constexpr CircularSeries sine_series = circular_series(quarter_of_pi, 1);
inline constexpr CircularSeries versine_series = circular_series(multiply_high(quarter_of_pi, quarter_of_pi), 2);

/// value / 2^scale rounded to the nearest float; value > 0, and the result must be a normal number.
[[nodiscard]] constexpr float round_to_float(std::uint64_t value, int scale) noexcept {
  const int zeros = leading_zeros(value);
  const std::uint64_t front = value << zeros;
  const std::uint32_t below = (front & UINT32_MAX) != 0 ? 1 : 0;  // keeps what is not a tie from looking like one
  const float digits = static_cast<float>(static_cast<std::uint32_t>(front >> 32) | below);
  return digits * std::bit_cast<float>(static_cast<std::uint32_t>(127 + 32 - zeros - scale) << 23);
}

struct SineCosine {
  float sine = 0.0F;
  float cosine = 1.0F;
};

/// Sine and cosine of a phase, within 0.5001 units in the last place of the exact ones, so nearly always the nearest
/// floats. Exact at multiples of a quarter turn.
[[nodiscard]] constexpr SineCosine sine_cosine(Phase phase) noexcept {
  const auto quadrant = static_cast<std::uint32_t>(phase >> 62);
  const std::uint64_t in_quadrant = phase << 2;
  const bool mirrored = in_quadrant > std::uint64_t{1} << 63;
  const std::uint64_t u = mirrored ? 0 - in_quadrant : in_quadrant;  // at most an eighth turn, in quarter turns
  const std::uint64_t v = multiply_high(u, u);

  SineCosine point{};
  if (u != 0) {
    const int zeros = leading_zeros(u);
    point.sine = round_to_float(multiply_high(u << zeros, sine_series.at(v)), 63 + zeros);
  }
  const std::uint64_t half_versine = multiply_high(v, versine_series.at(v));
  point.cosine = round_to_float((std::uint64_t{1} << 63) - half_versine, 63);

  if (mirrored != ((quadrant & 1U) != 0)) point = {point.cosine, point.sine};
  if (quadrant >= 2) point.sine = -point.sine;
  if (quadrant == 1 || quadrant == 2) point.cosine = -point.cosine;
  return point;
}

}  // namespace heed::detail
