// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::tools {

/// The value of IEEE binary16 bits; exact.
[[nodiscard]] inline float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t rest = bits & 0x7FFFU;
  if (rest >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000U | (rest > 0x7C00 ? 0x400000U : 0U));
  // As the bits of a float32, whose exponents are 112 higher: subnormals among them.
  return std::bit_cast<float>(sign | rest << 13) * 0x1p112F;
}

/// The value of bfloat16 bits; exact.
[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace heed::tools
