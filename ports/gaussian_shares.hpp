// SPDX-License-Identifier: MIT
//
// What stands for the normal distribution in a GELU, as a table: 3.6 KiB of flash in place of half of the
// instructions and more. For ports of small cores; in code for size, that of scalar floats computes.
#pragma once

#include <cstdint>

namespace heed::detail {

/// From here on s is 2^13.
inline constexpr std::uint32_t gaussian_most = 1837;

/// s of kernels/integer_sigmoid.hpp for X = 0..1837, between 2^12 and 2^13.
struct GaussianShares {
  std::uint16_t of[gaussian_most + 1]{};

  consteval GaussianShares() noexcept {
    for (std::uint32_t x = 0; x <= gaussian_most; ++x) {
      const std::uint32_t square = (x * x + (1U << 9)) >> 10;
      const std::uint32_t factor = (4828081 + 843 * square + (1U << 11)) >> 12;
      const std::uint32_t steps = (x * factor + (1U << 9)) >> 10;
      const std::uint32_t f = steps & 255;
      const std::uint32_t power = ((1U << 22) - f * (11008 - 11 * f)) >> (8 + (steps >> 8));
      const std::uint32_t divisor = (1U << 14) + power;
      of[x] = static_cast<std::uint16_t>((134218640 + divisor / 2) / divisor);
    }
  }
};
inline constexpr GaussianShares gaussian_shares;

}  // namespace heed::detail
