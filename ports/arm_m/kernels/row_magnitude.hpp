// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace heed::detail {

// clang-format off
// A jump that is seldom taken costs less than a choice.
#define HEED_COMPARE(x, there, back) "cmp %[greatest], " x ", lsl #1\n" "blo " there "f\n" back ":\n"
#define HEED_TAKE(x, there, back) there ":\n" "lsl %[greatest], " x ", #1\n" "b " back "b\n"

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are.
[[nodiscard, gnu::noinline]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  std::uint32_t greatest = 0;
  const float* const end = x + count;
  std::uint32_t fours = count / 4;
  if (fours != 0) {
    asm("1:\n"
        "ldmia %[x]!, {r4-r6, r8}\n"
        HEED_COMPARE("r4", "12", "2")
        HEED_COMPARE("r5", "13", "3")
        HEED_COMPARE("r6", "14", "4")
        HEED_COMPARE("r8", "15", "5")
        "subs %[fours], #1\n"
        "bne 1b\n"
        "b 6f\n"
        HEED_TAKE("r4", "12", "2")
        HEED_TAKE("r5", "13", "3")
        HEED_TAKE("r6", "14", "4")
        HEED_TAKE("r8", "15", "5")
        "6:\n"
        : [x] "+&r"(x), [fours] "+&r"(fours), [greatest] "+&r"(greatest)
        : "m"(*reinterpret_cast<const float(*)[]>(x))
        : "cc", "r4", "r5", "r6", "r8");
  }
  // clang-format on
  for (; x != end; ++x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(*x) << 1;
    if (bits > greatest) greatest = bits;
  }
  return greatest < 0xFF000000U ? std::bit_cast<float>(greatest >> 1) : std::numeric_limits<float>::quiet_NaN();
}
#undef HEED_COMPARE
#undef HEED_TAKE

}  // namespace heed::detail
