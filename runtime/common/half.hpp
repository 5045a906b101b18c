// SPDX-License-Identifier: MIT
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

}  // namespace heed::detail
