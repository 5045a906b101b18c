// SPDX-License-Identifier: MIT
//
// 32-bit Arm with NEON and VFPv4. NEON flushes subnormal numbers to 0 here, which no flag changes.
#pragma once

#if !defined(__arm__) || !defined(__ARM_NEON) || !defined(__ARM_FEATURE_FMA)
#error "the arm_neon32 port needs NEON with a fused multiply-add: -mfpu=neon-vfpv4, not -mfpu=neon"
#endif

#include <neon_lanes.hpp>

namespace heed::port {

inline constexpr const char* name = "arm_neon32";

/// Rows and panels whose sums stay in registers at once: 8 of the 16 registers, so that a row of B and the factors fit
/// beside them.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int) noexcept {
  return 1;
}

}  // namespace heed::port
