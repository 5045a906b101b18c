// SPDX-License-Identifier: MIT
//
// The greatest magnitude of channels that are to be stored, in code for size by one function.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

#ifdef __OPTIMIZE_SIZE__
#define HEED_APART_FOR_SIZE [[nodiscard, gnu::noinline]] inline
#else
#define HEED_APART_FOR_SIZE [[nodiscard]] inline
#endif

/// The greatest magnitude of some channels, or NaN if one of them is infinite or NaN.
HEED_APART_FOR_SIZE float greatest_magnitude(const float* channels, std::uint32_t count) noexcept {
  constexpr std::uint32_t infinity_bits = 0x7F800000U;
  // Magnitudes are ordered as their bits are, with infinity and NaN on top.
  std::uint32_t greatest = 0;
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(channels[d]) & 0x7FFFFFFFU;
    greatest = bits > greatest ? bits : greatest;
  }
  return greatest < infinity_bits ? std::bit_cast<float>(greatest) : std::numeric_limits<float>::quiet_NaN();
}

#undef HEED_APART_FOR_SIZE

}  // namespace heed::detail
