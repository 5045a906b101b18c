// SPDX-License-Identifier: MIT
//
// Sums of integers times scales, for sixteen outputs, in half the instructions that a compiler takes: three products of
// 16 and 8 bits for one of 24 bits, whose first 32 bits lack less than 2 of the last place, and two where the sum has
// 16 bits. What that is not enough to round by is left out.
#pragma once

#include <cstdint>

#include "high_registers.hpp"

namespace heed::detail {

/// A row's scale, as its range and its mantissa of 24 bits.
struct ScaleOfSums {
  std::uint32_t negative_least;  ///< minus the bits of the least scale
  std::uint32_t count;           ///< of bits from there on
  std::int32_t exponent;         ///< what a result's is above a scale's over the least one's, less 10
  std::uint32_t high;            ///< 16 bits
  std::uint32_t low;             ///< 8 bits
};

// Shifts r1 left by so many places where none of those bits is set that are left above `rest`.
#define HEED_NORMALIZE(rest, places) \
  "lsrs r3, r1, #" rest              \
  "\n"                               \
  "bne 1f\n"                         \
  "lsls r1, r1, #" places            \
  "\n"                               \
  "subs r0, #" places                \
  "\n"                               \
  "1:\n"
// r2 of 32 bits, which lacks less than 2, and the flags of it: its first bit to the top, and a half added to what is
// below 24 bits. A half way within what it lacks, and what leads to a power of two, is left out.
#define HEED_ROUND    \
  "bmi 1f\n"          \
  "adds r2, r2, r2\n" \
  "adds r2, #0x82\n"  \
  "bcs 7b\n"          \
  "uxtb r3, r2\n"     \
  "cmp r3, #3\n"      \
  "bcc 7b\n"          \
  "b 2f\n"            \
  "1: adds r0, #1\n"  \
  "adds r2, #0x81\n"  \
  "bcs 7b\n"          \
  "uxtb r3, r2\n"     \
  "cmp r3, #2\n"      \
  "bcc 7b\n"          \
  "2:\n"

/// y [16] = sums * scales * row; returns a word whose bit 16 - i says that output i was left out.
[[gnu::naked, gnu::noinline]] inline std::uint32_t scaled_sums(const std::int32_t*, const float*, const ScaleOfSums*,
                                                               float*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      HEED_SAVE_HIGH
      "movs r7, r0\n"
      "subs r1, r1, r0\n"
      "mov r8, r1\n"
      "subs r3, r3, r0\n"
      "mov r9, r3\n"
      "adds r0, #64\n"
      "mov lr, r0\n"
      "ldmia r2!, {r0, r1, r3, r4, r5}\n"
      "mov r10, r0\n"
      "mov r11, r1\n"
      "movs r0, #128\n"
      "lsls r0, r0, #8\n"
      "mov r12, r0\n"
      "movs r0, #0\n"
      "push {r0, r3}\n"
      "b 8f\n"
      "7:\n"
      "mov r2, lr\n"
      "subs r2, r2, r7\n"
      "lsrs r2, r2, #2\n"
      "movs r3, #1\n"
      "lsls r3, r2\n"
      "ldr r0, [sp]\n"
      "orrs r0, r3\n"
      "str r0, [sp]\n"
      "b 9f\n"
      // r0: the scale over the least one, with the sum's sign; r1: |sum|.
      "8:\n"
      "mov r0, r8\n"
      "ldr r0, [r7, r0]\n"
      "add r0, r10\n"
      "cmp r0, r11\n"
      "bcs 7b\n"
      "ldr r1, [r7]\n"
      "asrs r2, r1, #31\n"
      "adds r1, r1, r2\n"
      "eors r1, r2\n"
      "beq 7b\n"
      "lsls r2, r2, #31\n"
      "adds r0, r0, r2\n"
      // Both scales' product: r2 and r3 are 16 and 8 bits of the mantissa, r0 the exponent from here on.
      "lsls r2, r0, #9\n"
      "lsrs r2, r2, #17\n"
      "add r2, r12\n"
      "uxtb r3, r0\n"
      "lsrs r0, r0, #23\n"
      "movs r6, r2\n"
      "muls r6, r5\n"
      "muls r3, r4\n"
      "adds r3, r3, r6\n"
      "lsrs r3, r3, #8\n"
      "muls r2, r4\n"
      "adds r2, r2, r3\n" HEED_ROUND
      // Its 16 and 8 bits: r2 and r3.
      "lsls r3, r2, #16\n"
      "lsrs r6, r3, #24\n"
      "lsrs r2, r2, #16\n"
      "lsrs r3, r1, #16\n"
      "bne 5f\n" HEED_NORMALIZE("8", "8") HEED_NORMALIZE("12", "4") HEED_NORMALIZE("14", "2") HEED_NORMALIZE("15", "1")
          "muls r6, r1\n"
          "b 6f\n"
          "5:\n"
          "lsrs r3, r3, #8\n"
          "bne 7b\n"
          "adds r0, #8\n" HEED_NORMALIZE("20", "4") HEED_NORMALIZE("22", "2") HEED_NORMALIZE("23", "1")
      "uxtb r3, r1\n"
      "lsrs r1, r1, #8\n"
      "muls r3, r2\n"
      "muls r6, r1\n"
      "adds r6, r6, r3\n"
      "6:\n"
      "lsrs r6, r6, #8\n"
      "muls r2, r1\n"
      "adds r2, r2, r6\n" HEED_ROUND
      "lsrs r2, r2, #8\n"
      "ldr r3, [sp, #4]\n"
      "adds r0, r0, r3\n"
      "lsls r0, r0, #23\n"
      "adds r2, r2, r0\n"
      "mov r3, r9\n"
      "str r2, [r7, r3]\n"
      "9:\n"
      "adds r7, #4\n"
      "cmp r7, lr\n"
      "bne 8b\n"
      "pop {r0, r3}\n"
      HEED_RESTORE_HIGH
      "pop {r4-r7, pc}\n");
}
#undef HEED_ROUND
#undef HEED_NORMALIZE

}  // namespace heed::detail
