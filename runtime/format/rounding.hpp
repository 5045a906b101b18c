// SPDX-License-Identifier: MIT
//
// What rounding to integers is made of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "format/quantize.hpp"

namespace heed::detail {

/// The greatest magnitude of some channels, or NaN if one of them is infinite or NaN.
[[nodiscard]] inline float greatest_magnitude(const float* channels, std::uint32_t count) noexcept {
  constexpr std::uint32_t infinity_bits = 0x7F800000U;
  // Magnitudes are ordered as their bits are, with infinity and NaN on top.
  std::uint32_t greatest = 0;
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(channels[d]) & 0x7FFFFFFFU;
    greatest = bits > greatest ? bits : greatest;
  }
  return greatest < infinity_bits ? std::bit_cast<float>(greatest) : std::numeric_limits<float>::quiet_NaN();
}

/// x / scale rounded to nearest even and clamped to least..greatest, for a scale that is neither 0 nor NaN.
[[nodiscard]] inline std::int32_t rounded_quotient(float x, float scale, float least, float greatest) noexcept {
  float quotient = x / scale;
  quotient = quotient < greatest ? quotient : greatest;
  quotient = quotient > least ? quotient : least;
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: what is added to it is rounded to an integer
  return static_cast<std::int32_t>((quotient + shift) - shift);
}

/// The same for any scale; 0 for one of 0 or NaN.
[[nodiscard]] inline std::int32_t quantise(float x, float scale, float least, float greatest) noexcept {
  return scale > 0.0F || scale < 0.0F ? rounded_quotient(x, scale, least, greatest) : 0;
}

inline void put_int4(const StoredRow& row, std::size_t channel, std::int32_t q) noexcept {
  const std::size_t number = row.place(channel);
  std::byte& pair = row.numbers[number / 16 * 8 + number % 8];
  const auto nibble = static_cast<std::byte>(q + 8);
  pair = number % 16 < 8 ? (pair & std::byte{0xF0}) | nibble : (pair & std::byte{0x0F}) | (nibble << 4);
}

}  // namespace heed::detail
