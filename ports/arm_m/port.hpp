// SPDX-License-Identifier: MIT
//
// Cortex-M with a single-precision FPU (M4F, M7, M33): 32 registers of one float. The vector stays an array; the
// products and the softmax work on single floats instead, in kernels/.
#pragma once

#include <cstddef>
#include <scalar_lanes.hpp>

#if !defined(__ARM_FEATURE_FMA) || !defined(__thumb2__)
#error \
    "the arm_m port needs a Cortex-M with a floating-point unit: -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard, or newer"
#endif

namespace heed::port {

inline constexpr const char* name = "arm_m";

/// Two rows of eight lanes, or one of sixteen: sixteen sums, eight factors of a row of B, and those of A.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int) noexcept {
  return 1;
}

inline constexpr bool prefetches = false;
inline void prefetch(const float*, std::ptrdiff_t) noexcept {}

}  // namespace heed::port
