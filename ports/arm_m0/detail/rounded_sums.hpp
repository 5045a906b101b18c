// SPDX-License-Identifier: MIT
//
// scaled_sums() for speed: half ways are told from what is only close to one, zeros above a sum are looked up, and keys
// that are not there yet, whose scales are 0, are not left out.
#pragma once

#include <cstdint>
#include <soft_floats/zeros_of_byte.hpp>

#include "scaled_sums.hpp"

namespace heed::detail {

// Makes a first bit of 16 or 24 the highest: r1, of whose first byte, at `byte`, r6 tells the zeros.
#define HEED_NORMALIZE(byte, more) \
  "ldr r6, =%c0\n"                 \
  "ldrb r3, [r6, " byte "]\n" more \
  "lsls r1, r3\n"                  \
  "subs r0, r0, r3\n"
// Both scales' product as r2 of 32 bits, which lacks less than 2 of the last one and has the highest one set, where it
// is below 2^32 - 2^9, or the next: rounded to 24 bits, with the highest one set.
#define HEED_ROUND(out, undecided) \
  "bmi 1f\n"                       \
  "adds r2, r2, r2\n"              \
  "adds r2, #0x82\n"               \
  "bcs " out                       \
  "\n"                             \
  "uxtb r3, r2\n"                  \
  "cmp r3, #3\n"                   \
  "bcc " undecided                 \
  "\n"                             \
  "b 2f\n"                         \
  "1: adds r0, #1\n"               \
  "adds r2, #0x81\n"               \
  "uxtb r3, r2\n"                  \
  "cmp r3, #2\n"                   \
  "bcc " undecided                 \
  "\n"                             \
  "2:\n"

/// Sums become zero + sum * scale * row, and 0 or what `zero` is more than that for a scale of 0, one after the other;
/// returns the first one that is left, or their end: (sums, scales, the row's scale, which has a range, the end, the
/// bits of `zero`). There is at least one.
[[gnu::naked, gnu::noinline]] inline float* rounded_sums(float*, const float*, const ScaleOfSums*, float*,
                                                         std::uint32_t) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r4-r7}\n"
      "movs r7, r0\n"
      "subs r1, r1, r0\n"
      "mov r8, r1\n"
      "mov lr, r3\n"
      "ldmia r2!, {r0, r1, r3, r4, r5}\n"
      "mov r10, r0\n"
      "mov r11, r1\n"
      "movs r0, #128\n"
      "lsls r0, r0, #8\n"
      "mov r12, r0\n"
      "lsls r3, r3, #23\n"
      "mov r9, r3\n"
      "lsls r0, r0, #16\n"
      "push {r0}\n"
      "b 8f\n"
      // A key that is not there yet.
      "7: mov r0, r8\n"
      "ldr r0, [r7, r0]\n"
      "cmp r0, #0\n"
      "bne 9f\n"
      "ldr r2, [r7]\n"
      "ldr r3, [sp, #40]\n"
      "ands r2, r3\n"
      "b 10f\n"
      // r0: the scale over the least one, with the sum's sign; r1: |sum|.
      "8: mov r0, r8\n"
      "ldr r0, [r7, r0]\n"
      "add r0, r10\n"
      "cmp r0, r11\n"
      "bcs 7b\n"
      "ldr r1, [r7]\n"
      "cmp r1, #0\n"
      "bge 1f\n"
      "negs r1, r1\n"
      "ldr r2, [sp]\n"
      "adds r0, r0, r2\n"
      "1:\n"
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
      "adds r2, r2, r3\n" HEED_ROUND("7b", "4f")
      "3: lsrs r3, r1, #8\n"
      "beq 5f\n"
      "cmp r3, #255\n"
      "bhi 6f\n" HEED_NORMALIZE("r3", "")
      // Times the sum of 16 bits, exact to 8 bits below r2, in r3: of 31 bits or 32.
      "17: lsls r3, r2, #16\n"
      "lsrs r3, r3, #24\n"
      "lsrs r2, r2, #16\n"
      "muls r3, r1\n"
      "lsrs r6, r3, #8\n"
      "muls r2, r1\n"
      "adds r2, r2, r6\n"
      "bmi 1f\n"
      "adds r2, #0x40\n"
      "lsls r6, r2, #25\n"
      "beq 13f\n"
      "11: lsrs r2, r2, #7\n"
      "b 2f\n"
      "1: adds r0, #1\n"
      "adds r2, #0x80\n"
      "lsls r6, r2, #24\n"
      "beq 14f\n"
      "12: lsrs r2, r2, #8\n"
      "2: lsls r0, r0, #23\n"
      "adds r2, r2, r0\n"
      "add r2, r9\n"
      "10: stmia r7!, {r2}\n"
      "cmp r7, lr\n"
      "bne 8b\n"
      "9: movs r0, r7\n"
      "pop {r3}\n"
      "pop {r4-r7}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "pop {r4-r7, pc}\n"
      "4: b 16f\n"
      "15: b 7b\n"
      // The half was added: to an even number, unless more is left.
      "13: lsls r6, r3, #24\n"
      "bne 11b\n"
      "lsrs r2, r2, #8\n"
      "lsls r2, r2, #8\n"
      "b 11b\n"
      "14: lsls r6, r3, #24\n"
      "bne 12b\n"
      "lsrs r2, r2, #9\n"
      "lsls r2, r2, #9\n"
      "b 12b\n"
      // A sum of 8 bits, if it is not 0.
      "5: cmp r1, #0\n"
      "beq 7b\n" HEED_NORMALIZE("r1", "adds r3, #8\n")
      "b 17b\n"
      // One of 24 bits.
      "6: lsrs r3, r1, #24\n"
      "bne 7b\n"
      "adds r0, #8\n"
      "lsrs r3, r1, #16\n" HEED_NORMALIZE("r3", "")
      "lsls r3, r2, #16\n"
      "lsrs r6, r3, #24\n"
      "lsrs r2, r2, #16\n"
      "uxtb r3, r1\n"
      "lsrs r1, r1, #8\n"
      "muls r3, r2\n"
      "muls r6, r1\n"
      "adds r6, r6, r3\n"
      "lsrs r6, r6, #8\n"
      "muls r2, r1\n"
      "adds r2, r2, r6\n" HEED_ROUND("15b", "15b")
      "b 12b\n"
      // The scales' product by all of its 48 bits, those below r2 being in r3 and r6.
      "16: mov r3, r8\n"
      "ldr r3, [r7, r3]\n"
      "lsls r1, r3, #9\n"
      "lsrs r1, r1, #17\n"
      "add r1, r12\n"
      "uxtb r3, r3\n"
      "movs r6, r3\n"
      "muls r6, r5\n"
      "lsrs r2, r6, #8\n"
      "muls r3, r4\n"
      "adds r3, r3, r2\n"
      "movs r2, r1\n"
      "muls r2, r5\n"
      "adds r3, r3, r2\n"
      "muls r1, r4\n"
      "lsrs r2, r3, #8\n"
      "lsls r3, r3, #24\n"
      "uxtb r6, r6\n"
      "orrs r3, r6\n"
      "adds r2, r2, r1\n"
      "bmi 1f\n"
      "adds r3, r3, r3\n"
      "adcs r2, r2\n"
      "1: cmp r3, #0\n"
      "beq 1f\n"
      "movs r3, #1\n"
      "orrs r2, r3\n"
      "1: lsrs r3, r2, #9\n"
      "movs r3, #127\n"
      "adcs r2, r3\n"
      "bcs 15b\n"
      "ldr r1, [r7]\n"
      "asrs r3, r1, #31\n"
      "adds r1, r1, r3\n"
      "eors r1, r3\n"
      "b 3b\n"
      ".ltorg\n" ::"i"(&port::zeros_of_byte));
}
#undef HEED_ROUND
#undef HEED_NORMALIZE

}  // namespace heed::detail
