// SPDX-License-Identifier: MIT
//
// The frequencies of rotary positions with their scalings, in the exact integers of phase.hpp. Every scaling that looks
// at a wavelength depends on how many rotations a pair makes over the original context; so it is decided here.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/detail/phase.hpp"

namespace heed::detail {

/// A number from 0 up to 2^32 with 64 fraction bits.
struct Wide {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;  ///< in units of 2^-64
};

[[nodiscard]] constexpr bool is_less(const Wide& a, const Wide& b) noexcept {
  return a.whole != b.whole ? a.whole < b.whole : a.fraction < b.fraction;
}

/// a - b for b <= a.
[[nodiscard]] constexpr Wide difference(const Wide& a, const Wide& b) noexcept {
  return {a.whole - b.whole - (a.fraction < b.fraction ? 1U : 0U), a.fraction - b.fraction};
}

/// A positive float below 2^32; what lies below 2^-64 is left out, so that all floats from 2^-41 on are exact.
[[nodiscard]] constexpr Wide wide(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint64_t mantissa = (bits & 0x7FFFFFU) | 0x800000U;
  const int point = 150 - static_cast<int>(bits >> 23);  // x = mantissa * 2^-point
  if (point <= 0) return {mantissa << -point, 0};
  if (point >= 64) return {0, point < 88 ? mantissa >> (point - 64) : 0};
  return {mantissa >> point, mantissa << (64 - point)};
}

/// floor(2^64 * a / b) for a < b, digit by digit: no target has to call a routine for a division of 64 bits.
[[nodiscard]] constexpr std::uint64_t quotient(Wide a, const Wide& b) noexcept {
  std::uint64_t result = 0;
  for (int digit = 0; digit < 64; ++digit) {
    a = {(a.whole << 1) | (a.fraction >> 63), a.fraction << 1};
    result <<= 1;
    if (is_less(a, b)) continue;
    a = difference(a, b);
    result |= 1U;
  }
  return result;
}

/// The rotations that a step makes over a context.
[[nodiscard]] constexpr Wide rotations_over(Phase step, std::uint32_t context) noexcept {
  return {multiply_high(step, context), step * context};
}

/// How many of the frequencies 0 .. count - 1 make more than `rotations` over a context. They fall with their index.
[[nodiscard]] constexpr std::uint32_t frequencies_above(const Frequencies& frequencies, std::uint32_t count,
                                                        std::uint32_t context, const Wide& rotations) noexcept {
  std::uint32_t first = 0;
  while (first < count) {
    const std::uint32_t middle = first + (count - first) / 2;
    if (is_less(rotations, rotations_over(frequencies.step(middle), context))) {
      first = middle + 1;
    } else {
      count = middle;
    }
  }
  return first;
}

/// a + b, less than 2^-95 too small.
[[nodiscard]] constexpr Exponent sum(const Exponent& a, const Exponent& b) noexcept {
  Exponent result{a.integer + b.integer, a.fraction + b.fraction, a.tail + b.tail};
  const std::uint64_t carry = result.tail < a.tail ? 1 : 0;
  if (result.fraction < a.fraction) ++result.integer;
  result.fraction += carry;
  if (result.fraction < carry) ++result.integer;
  return result;
}

/// 1 + ln(factor) / 10, the factor that YaRN gives queries and keys (arXiv:2309.00071, equation 22), for 1 <= factor <
/// 2^32. Nearly always the nearest float.
[[nodiscard]] constexpr float yarn_attention_factor(float factor) noexcept {
  const Exponent octaves = binary_logarithm(factor);
  constexpr std::uint64_t unit = log_2 >> 6;  // ln 2 in units of 2^-58: 32 of it are below 2^63
  const std::uint64_t logarithm = octaves.integer * unit + multiply_high(octaves.fraction, unit);
  return round_to_float((std::uint64_t{1} << 58) + multiply_high(logarithm, UINT64_MAX / 10 + 1), 58);
}

/// What a scaling does to the step of a pair: keep it, divide it by the factor, or go from one to the other along a
/// ramp.
enum class StepScaling : std::uint32_t { none, divided, ramp_of_index, ramp_of_rotations };

/// The steps of every pair: the phase that it gains from one position to the next.
struct RotarySteps {
  Frequencies frequencies{};
  StepScaling scaling = StepScaling::none;
  Wide factor{1, 0};
  std::uint32_t first = 0;    ///< ramp_of_index: pairs up to this one keep their frequency
  std::uint32_t last = 0;     ///< ramp_of_index: pairs from this one on are divided by the factor
  std::uint32_t context = 0;  ///< ramp_of_rotations: over which rotations are counted
  Wide low{};                 ///< ramp_of_rotations: pairs with fewer rotations are divided by the factor
  Wide high{};                ///< ramp_of_rotations: pairs with more rotations keep their frequency

  [[nodiscard]] constexpr Phase step(std::uint32_t pair) const noexcept {
    const Phase kept = frequencies.step(pair);
    if (scaling == StepScaling::none) return kept;
    const Phase divided = quotient({0, kept}, factor);
    if (scaling == StepScaling::divided) return divided;
    if (scaling == StepScaling::ramp_of_index) {
      if (pair <= first) return kept;
      if (pair >= last) return divided;
      return kept - multiply_high(kept - divided, quotient({pair - first, 0}, {last - first, 0}));
    }
    const Wide rotations = rotations_over(kept, context);
    if (is_less(rotations, low)) return divided;
    if (!is_less(rotations, high)) return kept;
    return divided + multiply_high(kept - divided, quotient(difference(rotations, low), difference(high, low)));
  }
};

}  // namespace heed::detail
