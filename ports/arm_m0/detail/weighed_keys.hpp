// SPDX-License-Identifier: MIT
//
// Scores that become weights times scales, one after the other, as long as their first bits decide them.
#pragma once

#include <cstdint>

namespace heed::detail {

/// Scores up to `end`, and what has been found of those that are weighed.
struct WeighedKeys {
  const float* end;
  std::uint32_t top;       ///< the maximum in units of 2^-20, and a half of 2^-8
  std::uint32_t total;     ///< of the weights
  std::uint32_t greatest;  ///< bits
};

/// Scores become 2^(score - maximum) * scale; returns the first one that is left, or `end`: (scores, from them to their
/// scales in bytes, keys), the first three registers.
[[gnu::naked, gnu::noinline]] inline float* weigh_keys(float*, std::ptrdiff_t, WeighedKeys*) noexcept {
  asm(".syntax unified\n"
      "push {r2, r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r4-r7}\n"
      "ldmia r2!, {r3-r6}\n"
      "mov r8, r3\n"
      "mov r9, r4\n"
      "mov r10, r5\n"
      "mov r11, r6\n"
      "movs r3, #43\n"
      "lsls r3, r3, #8\n"
      "mov r12, r3\n"
      "movs r7, #1\n"
      "lsls r7, r7, #31\n"
      "1: cmp r0, r8\n"
      "beq 9f\n"
      // The score in units of 2^-20, if it is below 2^10, without what is below one.
      "ldr r2, [r0]\n"
      "lsls r3, r2, #1\n"
      "lsrs r3, r3, #24\n"
      "movs r4, #138\n"
      "subs r4, r4, r3\n"
      "cmp r4, #2\n"
      "blt 9f\n"
      "lsls r3, r2, #8\n"
      "orrs r3, r7\n"
      "lsrs r3, r4\n"
      "asrs r2, r2, #31\n"
      "eors r3, r2\n"
      "subs r3, r3, r2\n"
      // How far it is below the maximum, in steps of 2^-8: undecided if within 4 units of the middle of two.
      "mov r4, r9\n"
      "subs r3, r4, r3\n"
      "lsrs r4, r3, #24\n"
      "bne 8f\n"
      "adds r4, r3, #4\n"
      "lsls r4, r4, #20\n"
      "lsrs r4, r4, #23\n"
      "beq 9f\n"
      "lsrs r3, r3, #12\n"
      // The weight, as integer_exp2() has it: r3 is 8 more than its octaves.
      "uxtb r4, r3\n"
      "lsrs r3, r3, #8\n"
      "movs r5, #11\n"
      "muls r5, r4\n"
      "mov r6, r12\n"
      "subs r5, r6, r5\n"
      "muls r5, r4\n"
      "lsrs r6, r7, #9\n"
      "subs r5, r6, r5\n"
      "adds r3, #8\n"
      "lsrs r5, r3\n"
      "beq 8f\n"
      "mov lr, r5\n"
      // Times the scale, if that is normal and not negative: the weight from bit 14 or 15 on, the product from bit 30
      // or 31 on, of which less than 1 is lacking.
      "ldr r2, [r0, r1]\n"
      "lsrs r6, r2, #23\n"
      "subs r6, #1\n"
      "cmp r6, #254\n"
      "bcs 9f\n"
      "subs r3, #7\n"
      "subs r6, r6, r3\n"
      "bmi 9f\n"
      "lsls r5, r3\n"
      "lsls r4, r2, #9\n"
      "lsrs r4, r4, #16\n"
      "muls r4, r5\n"
      "lsls r3, r5, #16\n"
      "adds r4, r4, r3\n"
      "lsls r3, r2, #25\n"
      "lsrs r3, r3, #25\n"
      "muls r3, r5\n"
      "lsrs r3, r3, #7\n"
      "adds r4, r4, r3\n"
      // Rounded, unless half way by these bits.
      "bmi 2f\n"
      "adds r4, #0x40\n"
      "lsls r3, r4, #25\n"
      "beq 9f\n"
      "lsrs r4, r4, #7\n"
      "b 3f\n"
      "2: adds r6, #1\n"
      "adds r4, #0x80\n"
      "bcs 9f\n"
      "lsls r3, r4, #24\n"
      "beq 9f\n"
      "lsrs r4, r4, #8\n"
      "3: lsls r6, r6, #23\n"
      "adds r4, r4, r6\n"
      "add r10, lr\n"
      "cmp r4, r11\n"
      "bls 4f\n"
      "mov r11, r4\n"
      "4: stmia r0!, {r4}\n"
      "b 1b\n"
      "8: movs r4, #0\n"
      "b 4b\n"
      "9: ldr r1, [sp, #16]\n"
      "mov r2, r10\n"
      "mov r3, r11\n"
      "str r2, [r1, #8]\n"
      "str r3, [r1, #12]\n"
      "pop {r4-r7}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "pop {r2, r4-r7, pc}\n");
}

}  // namespace heed::detail
