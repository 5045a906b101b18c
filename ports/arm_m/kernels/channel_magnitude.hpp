// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/row_magnitude.hpp>
#include <limits>
#include <port.hpp>

namespace heed::detail {

/// The greatest magnitude of some channels, or NaN if one of them is infinite or NaN: in code for speed that of a row.
[[nodiscard]] inline float greatest_magnitude(const float* channels, std::uint32_t count) noexcept {
  if constexpr (port::unrolled != 1) return row_magnitude(channels, count);
  constexpr std::uint32_t infinity_bits = 0x7F800000U;
  // Magnitudes are ordered as their bits are, with infinity and NaN on top.
  std::uint32_t greatest = 0;
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(channels[d]) & 0x7FFFFFFFU;
    greatest = bits > greatest ? bits : greatest;
  }
  return greatest < infinity_bits ? std::bit_cast<float>(greatest) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
