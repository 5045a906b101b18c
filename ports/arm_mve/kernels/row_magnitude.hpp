// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <arm_mve.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

#define HEED_FOUR_MORE          \
  "vldrw.u32 q0, [%[x]], #16\n" \
  "vshl.i32 q0, q0, #1\n"       \
  "vmax.u32 %q[greatest], %q[greatest], q0\n"

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  uint32x4_t greatest = vdupq_n_u32(0);
  asm volatile(
      "wls lr, %[sixteens], 2f\n"
      "1:\n" HEED_FOUR_MORE HEED_FOUR_MORE HEED_FOUR_MORE HEED_FOUR_MORE
      "le lr, 1b\n"
      "2:\n"
      "wlstp.32 lr, %[left], 4f\n"
      "3:\n" HEED_FOUR_MORE
      "letp lr, 3b\n"
      "4:\n"
      : [x] "+r"(x), [greatest] "+w"(greatest)
      : [sixteens] "r"(count / 16), [left] "r"(count % 16)
      : "memory", "lr", "q0");
  const std::uint32_t bits = vmaxvq_u32(0, greatest);
  return bits < 0xFF000000U ? std::bit_cast<float>(bits >> 1) : std::numeric_limits<float>::quiet_NaN();
}
#undef HEED_FOUR_MORE

}  // namespace heed::detail
