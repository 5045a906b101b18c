// SPDX-License-Identifier: MIT
//
// A sum of floats. What is not normal is left to the compiler's run-time support.
#pragma once

#include <soft_floats/addition.hpp>

namespace heed::port {
inline namespace heed_own_code {

// Rounds r4 to nearest even without its last bits, `half` and 1 more being half of what they count, and packs it with
// the exponent at r2 less 1 and the sign of r0.
#define HEED_ROUND(places, above, below_half) \
  "lsrs r3, r4, #" above                      \
  "\n"                                        \
  "movs r5, #" below_half                     \
  "\n"                                        \
  "adcs r4, r5\n"                             \
  "lsrs r4, r4, #" places                     \
  "\n"                                        \
  "lsls r2, r2, #23\n"                        \
  "adds r4, r4, r2\n"                         \
  "lsrs r0, r0, #31\n"                        \
  "lsls r0, r0, #31\n"                        \
  "orrs r0, r4\n"                             \
  "pop {r3-r7, pc}\n"

/// a + b, rounded once.
template <>
[[nodiscard, gnu::naked, gnu::noinline]] inline float add_numbers<IntegerUnit{false, false}>(float, float) noexcept {
  asm(".syntax unified\n"
      "push {r3-r7, lr}\n"
      // r0 becomes the greater magnitude; r2 and r3 are the exponents.
      "lsls r2, r0, #1\n"
      "lsls r3, r1, #1\n"
      "cmp r2, r3\n"
      "bcs 1f\n"
      "movs r4, r0\n"
      "movs r0, r1\n"
      "movs r1, r4\n"
      "movs r4, r2\n"
      "movs r2, r3\n"
      "movs r3, r4\n"
      "1: lsrs r2, r2, #24\n"
      "cmp r2, #255\n"
      "beq 9f\n"
      "lsrs r3, r3, #24\n"
      "beq 7f\n"
      "subs r3, r2, r3\n"
      "cmp r3, #25\n"
      "bhi 8f\n"
      // Both from bit 30 on; the last bit is set if one that is lost was.
      "movs r7, #1\n"
      "lsls r6, r7, #31\n"
      "lsls r4, r0, #8\n"
      "orrs r4, r6\n"
      "lsrs r4, r4, #1\n"
      "lsls r5, r1, #8\n"
      "orrs r5, r6\n"
      "lsrs r5, r5, #1\n"
      "movs r6, r5\n"
      "lsrs r5, r3\n"
      "cmp r3, #7\n"
      "bls 2f\n"
      "movs r7, r5\n"
      "lsls r7, r3\n"
      "cmp r7, r6\n"
      "beq 2f\n"
      "movs r7, #1\n"
      "orrs r5, r7\n"
      "2:\n"
      "eors r1, r0\n"
      "bmi 4f\n"
      "adds r4, r4, r5\n"
      "bmi 3f\n"
      "subs r2, #1\n"
      "6:\n" HEED_ROUND("7", "8", "63")
      "3: cmp r2, #254\n"
      "beq 5f\n" HEED_ROUND("8", "9", "127")
      // The difference, its first bit brought to bit 30.
      "4: subs r4, r4, r5\n"
      "beq 4f\n"
      "subs r2, #1\n"
      "lsls r3, r4, #1\n"
      "bmi 6b\n"
      "b 2f\n"
      "1: lsls r4, r4, #8\n"
      "subs r2, #8\n"
      "2: lsrs r3, r4, #23\n"
      "beq 1b\n"
      "lsls r3, r4, #1\n"
      "bmi 2f\n"
      "1: subs r2, #1\n"
      "adds r4, r4, r4\n"
      "lsls r3, r4, #1\n"
      "bpl 1b\n"
      "2: cmp r2, #0\n"
      "bge 6b\n"
      "5: eors r1, r0\n"
      "b 9f\n"
      "4: movs r0, #0\n"
      "pop {r3-r7, pc}\n"
      // Beside 0 a normal number is what it was.
      "7: lsls r3, r1, #1\n"
      "bne 9f\n"
      "cmp r2, #0\n"
      "bne 8f\n"
      "9: bl __aeabi_fadd\n"
      "8: pop {r3-r7, pc}\n");
}
#undef HEED_ROUND

}  // namespace heed_own_code
}  // namespace heed::port
