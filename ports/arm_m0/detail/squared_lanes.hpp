// SPDX-License-Identifier: MIT
//
// Sums of squares in sixteen lanes, each rounded as a fused multiply-add rounds it, one lane after the other as long as
// the first 32 bits of its sums decide them; the sum stays apart as exponent and mantissa.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// A row of numbers, and the lanes that their squares go to.
struct SquaredRow {
  const float* end;
  const float* last_lane;   ///< where the lanes end that have numbers
  std::ptrdiff_t to_first;  ///< bytes from a lane to its first number
};

/// Adds the squares of every sixteenth number from the first one on to its lane, and those of all lanes after it, which
/// are 0: (number, lane, row). Returns the first number that is left, whose lane has what was before it, or null.
[[gnu::naked, gnu::noinline]] inline const float* add_squares(const float*, float*, const SquaredRow*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "push {r1, r2, r4, r5}\n"
      "ldr r3, [r2]\n"
      "mov r12, r3\n"
      "movs r7, #1\n"
      "lsls r3, r7, #15\n"
      "mov lr, r3\n"
      "lsls r7, r7, #31\n"
      // A lane's sum from bit 31 on: r5 is 6 less than its exponent, or anything if it is 0.
      "ldr r4, [r1]\n"
      "movs r5, #0\n"
      "cmp r4, #0\n"
      "beq 1f\n"
      "lsrs r5, r4, #23\n"
      "subs r5, #6\n"
      "cmp r5, #247\n"
      "bhi 9f\n"
      "lsls r4, r4, #8\n"
      "orrs r4, r7\n"
      "1: mov r8, r4\n"
      "mov r9, r5\n"
      // A square, of which less than 2 is lacking.
      "ldr r1, [r0]\n"
      "lsls r3, r1, #1\n"
      "lsrs r3, r3, #24\n"
      "subs r3, #66\n"
      "cmp r3, #119\n"
      "bhi 8f\n"
      "adds r3, r3, r3\n"
      "lsls r2, r1, #9\n"
      "lsrs r2, r2, #17\n"
      "add r2, lr\n"
      "uxtb r1, r1\n"
      "muls r1, r2\n"
      "lsrs r1, r1, #7\n"
      "muls r2, r2\n"
      "adds r2, r2, r1\n"
      // The sum, of which less than 3 is.
      "subs r1, r3, r5\n"
      "bmi 2f\n"
      "lsrs r4, r1\n"
      "movs r5, r3\n"
      "b 3f\n"
      "2: negs r1, r1\n"
      "lsrs r2, r1\n"
      "3: adds r4, r4, r2\n"
      "bcs 4f\n"
      "bmi 5f\n"
      "adds r4, r4, r4\n"
      "subs r5, #1\n"
      "adds r4, #0x86\n"
      "bcs 8f\n"
      "uxtb r1, r4\n"
      "cmp r1, #7\n"
      "bcc 8f\n"
      "b 6f\n"
      "4: lsrs r4, r4, #1\n"
      "orrs r4, r7\n"
      "adds r5, #1\n"
      "5: adds r4, #0x83\n"
      "bcs 8f\n"
      "uxtb r1, r4\n"
      "cmp r1, #4\n"
      "bcc 8f\n"
      "6: lsrs r4, r4, #8\n"
      "lsls r4, r4, #8\n"
      "adds r0, #64\n"
      "cmp r0, r12\n"
      "bcc 1b\n"
      // The next lane, unless this one's exponent is too great.
      "cmp r5, #247\n"
      "bhi 7f\n"
      "adds r5, #5\n"
      "lsls r5, r5, #23\n"
      "lsrs r4, r4, #8\n"
      "adds r4, r4, r5\n"
      "ldr r1, [sp]\n"
      "ldr r2, [sp, #4]\n"
      "stmia r1!, {r4}\n"
      "str r1, [sp]\n"
      "ldr r0, [r2, #8]\n"
      "adds r0, r0, r1\n"
      "ldr r3, [r2, #4]\n"
      "movs r4, #0\n"
      "movs r5, #0\n"
      "cmp r1, r3\n"
      "bne 1b\n"
      "movs r0, #0\n"
      "b 9f\n"
      "7: subs r0, #64\n"
      // What the lane had before.
      "8: mov r4, r8\n"
      "mov r5, r9\n"
      "cmp r4, #0\n"
      "beq 1f\n"
      "adds r5, #5\n"
      "lsls r5, r5, #23\n"
      "lsrs r4, r4, #8\n"
      "adds r4, r4, r5\n"
      "1: ldr r1, [sp]\n"
      "str r4, [r1]\n"
      "9: add sp, #8\n"
      "pop {r4, r5}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "pop {r4-r7, pc}\n");
}

}  // namespace heed::detail
