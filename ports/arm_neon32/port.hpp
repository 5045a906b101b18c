// SPDX-License-Identifier: MIT
//
// 32-bit Arm with NEON and VFPv4. NEON flushes subnormal numbers to 0 here, which no flag changes.
#pragma once

#if !defined(__arm__) || !defined(__ARM_NEON) || !defined(__ARM_FEATURE_FMA)
#error "the arm_neon32 port needs NEON with a fused multiply-add: -mfpu=neon-vfpv4, not -mfpu=neon"
#endif

#include <neon_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_neon32";

/// Rows and panels whose sums stay in registers at once: 8 of the 16 registers, so that a row of B and the factors of
/// two steps fit beside them.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int rows) noexcept {
  return rows == 1 ? 2 : 1;
}

/// a / b, rounded once. NEON only estimates a quotient here, so the scalar unit divides, lane by lane.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) {
        float32x4_t quotient = x;
        quotient = vsetq_lane_f32(vgetq_lane_f32(x, 0) / vgetq_lane_f32(y, 0), quotient, 0);
        quotient = vsetq_lane_f32(vgetq_lane_f32(x, 1) / vgetq_lane_f32(y, 1), quotient, 1);
        quotient = vsetq_lane_f32(vgetq_lane_f32(x, 2) / vgetq_lane_f32(y, 2), quotient, 2);
        quotient = vsetq_lane_f32(vgetq_lane_f32(x, 3) / vgetq_lane_f32(y, 3), quotient, 3);
        return Register(quotient);
      },
      a, b);
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others. Written as the instruction: gcc
/// makes of the intrinsic four single comparisons, which are slow and see the subnormal numbers that NEON does not.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  return map<Register>(
      [](Register left, Register right, Register yes, Register no) {
        const float32x4_t smaller = left;
        const float32x4_t greater = right;
        uint32x4_t less;
        asm("vcgt.f32 %q0, %q1, %q2" : "=w"(less) : "w"(greater), "w"(smaller));
        return Register(vbslq_f32(less, yes, no));
      },
      a, b, x, y);
}

}  // namespace heed_own_code
}  // namespace heed::port
