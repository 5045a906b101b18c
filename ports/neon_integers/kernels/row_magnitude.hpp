// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <arm_neon.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <neon_sixteen_floats.hpp>

namespace heed::detail {

/// The bits of four numbers, without their signs.
[[gnu::always_inline]] inline uint32x4_t magnitudes_of(float32x4_t x) noexcept {
  return vbicq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(0x80000000U));
}

/// Of the next sixteen numbers.
[[gnu::always_inline]] inline uint32x4_t greatest_of_sixteen(const float*& x) noexcept {
  const SixteenFloats all = load_sixteen(x);
  return vmaxq_u32(vmaxq_u32(magnitudes_of(all.fours[0]), magnitudes_of(all.fours[1])),
                   vmaxq_u32(magnitudes_of(all.fours[2]), magnitudes_of(all.fours[3])));
}

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  uint32x4_t greatest = vdupq_n_u32(0);
  for (; count >= 64; count -= 64) {
#pragma GCC unroll 4
    for (int i = 0; i < 64; i += 16) greatest = vmaxq_u32(greatest, greatest_of_sixteen(x));
  }
  for (; count >= 4; count -= 4, x += 4) greatest = vmaxq_u32(greatest, magnitudes_of(vld1q_f32(x)));
#ifdef __aarch64__
  std::uint32_t bits = vmaxvq_u32(greatest);
#else
  const uint32x2_t two = vmax_u32(vget_low_u32(greatest), vget_high_u32(greatest));
  std::uint32_t bits = vget_lane_u32(vpmax_u32(two, two), 0);
#endif
  for (; count != 0; --count, ++x) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(*x) & 0x7FFFFFFFU;
    bits = magnitude > bits ? magnitude : bits;
  }
  return bits < 0x7F800000U ? std::bit_cast<float>(bits) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
