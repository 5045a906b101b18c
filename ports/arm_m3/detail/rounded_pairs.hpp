// SPDX-License-Identifier: MIT
//
// Numbers of a row rounded to integers two by two, straight ahead: 19 instructions for each, where a compiler takes 23.
// What the first 32 bits of a product are not enough to round by is left out.
#pragma once

#include <cstdint>

namespace heed::detail {

/// What a row's numbers are multiplied by, and the sum of those of even inputs.
struct PairRounding {
  std::uint32_t mantissa;  ///< at the top
  std::int32_t places;     ///< a product's below its integer are less by the exponent of the number
  std::int32_t sum;
};

// clang-format off
// r8 becomes the number that r7 is rounded to; r4 is the factor, r5 the places, r6 the sign bit.
#define HEED_ROUND_NUMBER(zero, back) \
  "ldr r7, [r0], #4\n"                \
  "ubfx r8, r7, #23, #8\n"            \
  "sub r8, r5, r8\n"                  \
  "sub r9, r8, #17\n"                 \
  "cmp r9, #15\n"                     \
  "bhs " zero "f\n"                   \
  "orr r9, r6, r7, lsl #8\n"          \
  "umull r10, r9, r9, r4\n"           \
  "rsb r10, r8, #32\n"                \
  "lsl r10, r9, r10\n"                \
  "add r11, r10, #0x81000000\n"       \
  "cmp r11, #0x02000000\n"            \
  "blo 9f\n"                          \
  "lsr r8, r9, r8\n"                  \
  "add r8, r8, r10, lsr #31\n"        \
  "eor r8, r8, r7, asr #31\n"         \
  "sub r8, r8, r7, asr #31\n"         \
  back ":\n"
// Below a half.
#define HEED_ROUND_TO_ZERO(zero, back) zero ":\n" "cmp r8, #32\n" "ble 9b\n" "mov r8, #0\n" "b " back "b\n"

/// Stores `pairs` times two numbers of x; returns how many pairs are left, from the first one on that takes more.
[[gnu::naked, gnu::noinline]] inline std::uint32_t store_pairs(const float* /*x*/, std::uint32_t /*pairs*/,
                                                               std::int16_t* /*to*/, PairRounding*) noexcept {
  asm("push {r3-r11, lr}\n"
      "ldm r3, {r4, r5, r12}\n"
      "mov r6, #0x80000000\n"
      "1:\n"
      HEED_ROUND_NUMBER("3", "2")
      "mov lr, r8\n"
      HEED_ROUND_NUMBER("5", "4")
      "add r12, r12, lr\n"
      "strh lr, [r2], #2\n"
      "strh r8, [r2], #2\n"
      "subs r1, #1\n"
      "bne 1b\n"
      "9:\n"
      "pop {r3}\n"
      "str r12, [r3, #8]\n"
      "mov r0, r1\n"
      "pop {r4-r11, pc}\n"
      HEED_ROUND_TO_ZERO("3", "2")
      HEED_ROUND_TO_ZERO("5", "4"));
}
// clang-format on
#undef HEED_ROUND_NUMBER
#undef HEED_ROUND_TO_ZERO

}  // namespace heed::detail
