// SPDX-License-Identifier: MIT
//
// What the ports for 64-bit Arm share: NEON and its fused multiply-add are always there.
#pragma once

#include <neon_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// Rows and panels whose sums stay in registers at once: 16 of the 32 registers, so that two rows of B and the factors
/// of four steps fit beside them.
inline constexpr int tile_rows = 4;
constexpr int tile_panels(int rows) noexcept {
  return rows == 1 ? 4 : rows == 2 ? 2 : 1;
}

/// a / b, rounded once.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vdivq_f32(x, y)); }, a, b);
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others. Clang 14 takes x < 0 ? 0 : x for a
/// maximum, which loses the sign of -0, unless it cannot see what the choice depends on.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  return map<Register>(
      [](Register left, Register right, Register yes, Register no) __attribute__((always_inline)) {
        uint32x4_t less = vcltq_f32(left, right);
#if defined(__clang__)
        asm("" : "+w"(less));
#endif
        return Register(vbslq_f32(less, yes, no));
      },
      a, b, x, y);
}

}  // namespace heed_own_code
}  // namespace heed::port
