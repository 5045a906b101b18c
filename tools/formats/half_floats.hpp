// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace heed::tools {

/// The value of IEEE binary16 bits; exact.
[[nodiscard]] inline float from_float16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const auto fraction = static_cast<float>(bits & 0x3FF);
  float magnitude = std::ldexp(1024.0F + fraction, exponent - 25);
  if (exponent == 0) magnitude = std::ldexp(fraction, -24);
  if (exponent == 31) magnitude = fraction == 0.0F ? std::numeric_limits<float>::infinity() : std::nanf("");
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

/// The value of bfloat16 bits; exact.
[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace heed::tools
