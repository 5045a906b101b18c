// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded, for processors with Thumb-2.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

// clang-format off
// A jump that is seldom taken costs less than a choice.
#define HEED_COMPARE(x, back) "cmp %[greatest], " x ", lsl #1\n" "blo 1" back "f\n" back ":\n"
#define HEED_TAKE(x, back) "1" back ":\n" "lsl %[greatest], " x ", #1\n" "b " back "b\n"
#define HEED_COMPARE_FOUR(a, b, c, d)                                                 \
  "ldmia %[x]!, {r4-r6, r8}\n"                                                        \
  HEED_COMPARE("r4", a) HEED_COMPARE("r5", b) HEED_COMPARE("r6", c) HEED_COMPARE("r8", d)
#define HEED_TAKE_FOUR(a, b, c, d) HEED_TAKE("r4", a) HEED_TAKE("r5", b) HEED_TAKE("r6", c) HEED_TAKE("r8", d)

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard, gnu::noinline]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  std::uint32_t greatest = 0;
  const float* const end = x + count;
#ifndef __OPTIMIZE_SIZE__
  std::uint32_t rounds = count / 8;
  if (rounds != 0) {
    asm("1:\n"
        HEED_COMPARE_FOUR("2", "3", "4", "5")
        HEED_COMPARE_FOUR("22", "23", "24", "25")
        "subs %[rounds], #1\n"
        "bne 1b\n"
        "b 6f\n"
        HEED_TAKE_FOUR("2", "3", "4", "5")
        HEED_TAKE_FOUR("22", "23", "24", "25")
        "6:\n"
        : [x] "+&r"(x), [rounds] "+&r"(rounds), [greatest] "+&r"(greatest)
        :
        : "memory", "cc", "r4", "r5", "r6", "r8");
  }
#endif
  // clang-format on
  for (; x != end; ++x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(*x) << 1;
    if (bits > greatest) greatest = bits;
  }
  return greatest < 0xFF000000U ? std::bit_cast<float>(greatest >> 1) : std::numeric_limits<float>::quiet_NaN();
}
#undef HEED_COMPARE
#undef HEED_COMPARE_FOUR
#undef HEED_TAKE
#undef HEED_TAKE_FOUR

}  // namespace heed::detail
