// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded, four numbers from one load.
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/channel_magnitude.hpp>
#include <limits>
#include <port.hpp>

namespace heed::detail {

#define HEED_TAKE(x, label) \
  "lsls " x ", " x          \
  ", #1\n"                  \
  "cmp r2, " x              \
  "\n"                      \
  "bcs " label              \
  "f\n"                     \
  "movs r2, " x "\n" label ":\n"
/// The bits of the greatest magnitude, without its sign: (numbers, their end), a multiple of four, not 0.
[[gnu::naked, gnu::noinline]] inline std::uint32_t greatest_bits(const float*, const float*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "movs r2, #0\n"
      "1: ldmia r0!, {r4-r7}\n" HEED_TAKE("r4", "2") HEED_TAKE("r5", "3") HEED_TAKE("r6", "4") HEED_TAKE("r7", "5")
      "cmp r0, r1\n"
      "bne 1b\n"
      "movs r0, r2\n"
      "pop {r4-r7, pc}\n");
}
#undef HEED_TAKE

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  if constexpr (port::for_size) return greatest_magnitude(x, count);
  std::uint32_t greatest = 0;
  const float* const end = x + count;
  if (count >= 4) {
    const float* const last = x + count / 4 * 4;
    greatest = greatest_bits(x, last);
    x = last;
  }
  for (; x != end; ++x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(*x) << 1;
    if (bits > greatest) greatest = bits;
  }
  return greatest < 0xFF000000U ? std::bit_cast<float>(greatest >> 1) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
