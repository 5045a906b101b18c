// SPDX-License-Identifier: MIT
//
// Numbers of sixteen bits to floats and back, rounded to nearest, ties to even. Integers and at most one addition, so
// that the same bits come out on every CPU.
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

/// The value of an IEEE-754 binary16 number; NaN becomes a quiet NaN.
[[nodiscard]] inline float from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  std::uint32_t bits = (magnitude << 13) + (112U << 23);
  if (magnitude < 0x0400U) {
    // Subnormal: the number counts units of 2^-24. No float on the way is subnormal.
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F);
  } else if (magnitude >= 0x7C00U) {
    bits = 0x7F800000U | (magnitude << 13) | (magnitude > 0x7C00U ? 0x00400000U : 0U);
  }
  return std::bit_cast<float>(sign | bits);
}

/// IEEE-754 binary16: from 65520 on infinity; NaN becomes a quiet NaN of the same sign.
[[nodiscard]] inline std::uint16_t to_half(float value) noexcept {
  constexpr std::uint32_t infinity = 0x7F800000U;
  constexpr std::uint32_t overflow = 0x477FF000U;      // 65520, halfway between 65504 and 65536
  constexpr std::uint32_t least_normal = 0x38800000U;  // 2^-14
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > infinity) {
    half = 0x7E00U | ((magnitude >> 13) & 0x03FFU);
  } else if (magnitude >= overflow) {
    half = 0x7C00U;
  } else if (magnitude >= least_normal) {
    const std::uint32_t odd = (magnitude >> 13) & 1U;
    half = (magnitude - (112U << 23) + 0x0FFFU + odd) >> 13;
  } else {
    // The last place of 1/2 is 2^-24, as that of a subnormal half: the addition rounds, and leaves the count of units.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
  }
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | half);
}

/// bfloat16: overflow gives infinity; NaN becomes a quiet NaN of the same sign.
[[nodiscard]] inline std::uint16_t to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t front = bits >> 16;
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(front | 0x0040U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (front & 1U)) >> 16);
}

}  // namespace heed::detail
