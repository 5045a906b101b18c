// SPDX-License-Identifier: MIT
//
// What products of packed int8 weights cannot go below on Helium: the instructions that every sixteen products, every
// four numbers that are rounded and every four outputs take, in loops so long that their ends are less than a
// twentieth, with no sum that would have to be kept and no address that would have to move.
#pragma once

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#elif defined(__aarch64__)
#include "aarch64/product_limits.hpp"
#endif

#include <cstddef>
#include <cstdint>

namespace heed::bench {

#ifdef __ARM_FEATURE_MVE

// clang-format off
#define HEED_FOUR_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
// Sixteen weights of an output are four words apart, and even ones have 128 added.
#define HEED_WEIGHTS(to) "vldrw.u32 " to ", [%q[at]]\n" "veor " to ", " to ", %q[at]\n"
#define HEED_SUM(sum, weights, row) "vmladava.s8 " sum ", " weights ", " row "\n"
#define HEED_ROW_OF_TWO "vldrb.u8 q2, [%[from]]\n" HEED_SUM("%[a]", "q0", "q2") HEED_SUM("%[b]", "q1", "q2")
#define HEED_RUN(...)                                                                               \
  asm volatile("1:\n" __VA_ARGS__ "subs %[times], #1\n" "bne 1b\n"                                  \
               : [a] "+Te"(a), [b] "+Te"(b), [times] "+r"(times)                                    \
               : [from] "l"(from), [at] "w"(at), [factor] "r"(1.0F)                                 \
               : "memory", "cc", "q0", "q1", "q2")

/// Rounds, multiplies and makes outputs as often as `rows` by `inputs` numbers and `outputs` ask for; what comes of it is
/// nothing. True: there is such a count. `from` has 64 bytes.
[[nodiscard]] inline bool take_least(std::uint32_t rows, std::uint32_t inputs, std::uint32_t outputs,
                                     std::byte* from) noexcept {
  const uint32x4_t at = vdupq_n_u32(reinterpret_cast<std::uintptr_t>(from));
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::uint32_t times = 0;
  if (rows == 1) {
    // The row would be in registers.
    times = inputs * outputs / (16 * 16);
    HEED_RUN(HEED_FOUR_TIMES(HEED_FOUR_TIMES(HEED_WEIGHTS("q0") HEED_SUM("%[a]", "q0", "q2"))));
  } else {
    // Four rows by two outputs: of tiles of eight sums, those with the fewest loads.
    times = rows * inputs * outputs / (4 * 2 * 16 * 4);
    HEED_RUN(HEED_FOUR_TIMES(HEED_WEIGHTS("q0") HEED_WEIGHTS("q1") HEED_FOUR_TIMES(HEED_ROW_OF_TWO)));
  }
  times = rows * inputs / (4 * 16);
  HEED_RUN(HEED_FOUR_TIMES(HEED_FOUR_TIMES("vldrw.u32 q0, [%[from]]\n" "vmax.u32 q2, q2, q0\n"
                                           "vldrw.u32 q0, [%[from]]\n" "vmul.f32 q0, q0, %[factor]\n"
                                           "vadd.f32 q0, q0, %[factor]\n" "vstrb.32 q0, [%[from]]\n")));
  times = rows * outputs / (4 * 4);
  HEED_RUN(HEED_FOUR_TIMES("vldrw.u32 q0, [%[from]]\n" "vmul.f32 q0, q0, %[factor]\n" "vmov q1[2], q1[0], %[a], %[b]\n"
                           "vmov q1[3], q1[1], %[a], %[b]\n" "vcvt.f32.s32 q1, q1\n" "vmul.f32 q1, q1, q0\n"
                           "vstrw.32 q1, [%[from]]\n"));
  return true;
}

// clang-format on
#undef HEED_FOUR_TIMES
#undef HEED_WEIGHTS
#undef HEED_SUM
#undef HEED_ROW_OF_TWO
#undef HEED_RUN

#elif !defined(__aarch64__)

/// No such count is known.
[[nodiscard]] inline bool take_least(std::uint32_t /*rows*/, std::uint32_t /*inputs*/, std::uint32_t /*outputs*/,
                                     std::byte* /*from*/) noexcept {
  return false;
}

#endif

}  // namespace heed::bench
