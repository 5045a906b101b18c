// SPDX-License-Identifier: MIT
//
// The powers of the shared kernel, in integers.
#pragma once

#include <cstdint>

namespace heed::detail {

/// 2^-(steps / 256) in units of 2^-14, of steps below 2^12.
[[gnu::always_inline]] inline std::uint32_t integer_exp2(std::uint32_t steps) noexcept {
  const std::uint32_t f = steps & 255;
  return ((1U << 22) - f * (11008 - 11 * f)) >> (8 + (steps >> 8));
}

}  // namespace heed::detail
