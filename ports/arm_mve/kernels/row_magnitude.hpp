// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <arm_mve.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  uint32x4_t greatest = vdupq_n_u32(0);
  asm volatile(
      "wlstp.32 lr, %[count], 2f\n"
      "1:\n"
      "vldrw.u32 q0, [%[x]], #16\n"
      "vshl.i32 q0, q0, #1\n"
      "vmax.u32 %q[greatest], %q[greatest], q0\n"
      "letp lr, 1b\n"
      "2:\n"
      : [x] "+r"(x), [greatest] "+w"(greatest)
      : [count] "r"(count)
      : "memory", "lr", "q0");
  const std::uint32_t bits = vmaxvq_u32(0, greatest);
  return bits < 0xFF000000U ? std::bit_cast<float>(bits >> 1) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
