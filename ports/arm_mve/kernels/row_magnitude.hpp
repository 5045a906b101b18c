// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <arm_mve.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "../detail/quad_memory.hpp"

namespace heed::detail {

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  uint32x4_t greatest = vdupq_n_u32(0);
  for (; count >= 4; count -= 4, x += 4) {
    greatest = vmaxq_u32(greatest, vshlq_n_u32(vreinterpretq_u32_f32(port::load_quad(x)), 1));
  }
  const mve_pred16_t there = vctp32q(count);
  greatest = vmaxq_u32(greatest, vshlq_n_u32(vreinterpretq_u32_f32(port::load_quad(x, there)), 1));
  const std::uint32_t bits = vmaxvq_u32(0, greatest);
  return bits < 0xFF000000U ? std::bit_cast<float>(bits >> 1) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
