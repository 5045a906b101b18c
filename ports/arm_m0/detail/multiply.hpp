// SPDX-License-Identifier: MIT
//
// A product of floats by three products of 16 and 8 bits, whose first 32 bits lack less than 2 of the last place. What
// that is not enough to round by, and what is not normal, is left to the compiler's run-time support.
#pragma once

#include <soft_floats/products.hpp>

namespace heed::port {
inline namespace heed_own_code {

// Rounds r4, to which a half and what may lack is added, and packs it.
#define HEED_ROUND(half, lacking) \
  "adds r4, #" half               \
  "\n"                            \
  "bcs 9f\n"                      \
  "uxtb r3, r4\n"                 \
  "cmp r3, #" lacking             \
  "\n"                            \
  "bcc 9f\n"                      \
  "lsrs r4, r4, #8\n"             \
  "lsls r2, r2, #23\n"            \
  "adds r0, r4, r2\n"             \
  "pop {r3-r7, pc}\n"

/// a * b, rounded once.
template <>
[[nodiscard, gnu::naked, gnu::noinline]] inline float multiply<IntegerUnit{false, false}>(float, float) noexcept {
  asm(".syntax unified\n"
      "push {r3-r7, lr}\n"
      // Both exponents' sum less 128. If that is below 127, neither exponent is 255.
      "lsls r2, r0, #1\n"
      "lsrs r2, r2, #24\n"
      "beq 3f\n"
      "lsls r3, r1, #1\n"
      "lsrs r3, r3, #24\n"
      "beq 4f\n"
      "adds r2, r2, r3\n"
      "subs r2, #128\n"
      "cmp r2, #127\n"
      "bcs 7f\n"
      "6:\n"
      "movs r3, r0\n"
      "eors r3, r1\n"
      "lsrs r3, r3, #31\n"
      "lsls r3, r3, #8\n"
      "adds r2, r2, r3\n"
      "movs r7, #1\n"
      "lsls r7, r7, #31\n"
      "lsls r4, r0, #8\n"
      "orrs r4, r7\n"
      "lsrs r4, r4, #16\n"
      "lsls r6, r1, #8\n"
      "orrs r6, r7\n"
      "lsrs r6, r6, #16\n"
      "uxtb r5, r0\n"
      "uxtb r7, r1\n"
      "muls r5, r6\n"
      "muls r7, r4\n"
      "adds r5, r5, r7\n"
      "lsrs r5, r5, #8\n"
      "muls r4, r6\n"
      "adds r4, r4, r5\n"
      "bmi 8f\n"
      "adds r4, r4, r4\n" HEED_ROUND("0x82", "3") "8: adds r2, #1\n" HEED_ROUND("0x81", "2")
      // Where one is 0, and the other is finite.
      "3: lsls r2, r0, #1\n"
      "bne 9f\n"
      "lsls r3, r1, #1\n"
      "lsrs r2, r3, #24\n"
      "b 5f\n"
      "4: lsls r3, r1, #1\n"
      "bne 9f\n"
      "5: cmp r2, #255\n"
      "beq 9f\n"
      "eors r0, r1\n"
      "lsrs r0, r0, #31\n"
      "lsls r0, r0, #31\n"
      "pop {r3-r7, pc}\n"
      "7: cmp r3, #255\n"
      "beq 9f\n"
      "lsls r3, r0, #1\n"
      "lsrs r3, r3, #24\n"
      "cmp r3, #255\n"
      "beq 9f\n"
      "cmp r2, #252\n"
      "bls 6b\n"
      "9: bl __aeabi_fmul\n"
      "pop {r3-r7, pc}\n");
}
#undef HEED_ROUND

}  // namespace heed_own_code
}  // namespace heed::port
