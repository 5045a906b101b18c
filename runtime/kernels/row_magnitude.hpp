// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  std::uint32_t greatest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFU;
    greatest = bits > greatest ? bits : greatest;
  }
  return greatest < 0x7F800000U ? std::bit_cast<float>(greatest) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
