// SPDX-License-Identifier: MIT
//
// Sums of products of integers where each group of 32 inputs has a multiplier, in code for speed: of one row and a
// panel, by eight outputs where bytes meet bytes, else by four.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/kernel_contract.hpp"
#include "integer_steps.hpp"

namespace heed::detail {

/// The sums of a product of one row, up to sixteen of them; product.first_row is so far before the block's numbers as a
/// row begins before its own.
using IntegerGroups = void(const IntegerProduct& product) noexcept;
static_assert(offsetof(IntegerProduct, multipliers) == 4 && offsetof(IntegerProduct, first_row) == 8);
static_assert(offsetof(IntegerProduct, inputs) == 24 && offsetof(IntegerProduct, sums) == 32);

// clang-format off
// On the stack: weights, row; sums, how many are left; multipliers, where the last group's numbers are, and where its
// round enters. Sums are in s0-s7, the group's multipliers where s8 says.
#define HEED_BEGIN_GROUPS(log2_bytes, clear_more)  \
  "push {r4-r11, lr}\n"                   \
  "sub sp, #32\n"                         \
  "ldrd r2, r3, [r0]\n"                   \
  "ldr r1, [r0, #8]\n"                    \
  "ldrd r4, r5, [r0, #24]\n"              \
  "ldr r6, [r0, #32]\n"                   \
  "add r1, #16\n"                         \
  "strd r2, r1, [sp]\n"                   \
  "strd r6, r5, [sp, #8]\n"               \
  "lsr r7, r4, #3\n"                      \
  "rsb r7, #0\n"                          \
  "and r7, #3\n"                          \
  "sub r4, #1\n"                          \
  "lsr r4, #5\n"                          \
  "mov r8, #68\n"                         \
  "mla r8, r4, r8, r1\n"                  \
  "strd r3, r8, [sp, #16]\n"              \
  "str r7, [sp, #24]\n"                   \
  "6:\n"                                  \
  "ldrd r0, r1, [sp]\n"                   \
  "ldr r2, [sp, #16]\n"                   \
  "mov r3, #0\n"                          \
  "vmov s8, r2\n"                         \
  "vmov s0, s1, r3, r3\n"                 \
  "vmov s2, s3, r3, r3\n"                 \
  clear_more                              \
  "9:\n"                                  \
  "ldr r2, [sp, #20]\n"                   \
  "cmp r1, r2\n"                          \
  "ite eq\n"                              \
  "ldreq r12, [sp, #24]\n"                \
  "movne r12, #0\n"                       \
  "sub r0, r0, r12, lsl #" log2_bytes "\n"
#define HEED_NEXT_GROUP "ldr r2, [sp, #20]\n" "cmp r1, r2\n" "bls 9b\n"
#define HEED_END_GROUPS(outputs, last, weight_bytes)  \
  "ldrd r4, r5, [sp, #8]\n"               \
  "vstmia r4!, {s0-" last "}\n"           \
  "subs r5, #" outputs "\n"               \
  "ble 8f\n"                              \
  "strd r4, r5, [sp, #8]\n"               \
  "ldr r0, [sp]\n"                        \
  "ldr r2, [sp, #16]\n"                   \
  "add r0, #" weight_bytes "\n"           \
  "add r2, #" outputs "\n"                \
  "str r0, [sp]\n"                        \
  "str r2, [sp, #16]\n"                   \
  "b 6b\n"                                \
  "8:\n"                                  \
  "add sp, #32\n"                         \
  "pop {r4-r11, pc}"

// 256 times a sum, times 2^24 times its multiplier: the upper word of the product.
#define HEED_MULTIPLY_FOUR(word, sum0, sum1, sum2, sum3)  \
  "lsl lr, " word ", #24\n"               \
  "smmul " sum0 ", " sum0 ", lr\n"        \
  "lsl lr, " word ", #16\n"               \
  "and lr, lr, #0xFF000000\n"             \
  "smmul " sum1 ", " sum1 ", lr\n"        \
  "lsl lr, " word ", #8\n"                \
  "and lr, lr, #0xFF000000\n"             \
  "smmul " sum2 ", " sum2 ", lr\n"        \
  "and lr, " word ", #0xFF000000\n"       \
  "smmul " sum3 ", " sum3 ", lr\n"
#define HEED_ADD_TWO(held0, held1, sum0, sum1)  \
  "vmov r2, r3, " held0 ", " held1 "\n"   \
  "add r2, " sum0 "\n"                    \
  "add r3, " sum1 "\n"                    \
  "vmov " held0 ", " held1 ", r2, r3\n"
[[gnu::naked]] inline void groups_of_raw_words(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_GROUPS("7", "vmov s4, s5, r3, r3\n" "vmov s6, s7, r3, r3\n" "sub r0, #" HEED_EIGHT_BASE "\n")
      HEED_START_ONE "mov r8, r4\n" "mov r9, r4\n" "mov r10, r4\n" "mov r11, r4\n"
      HEED_ROUND_OF_EIGHT
      "vmov r12, s8\n"
      "ldrd r2, r3, [r12], #16\n"
      "vmov s8, r12\n"
      HEED_MULTIPLY_FOUR("r2", "r4", "r5", "r6", "r7") HEED_MULTIPLY_FOUR("r3", "r8", "r9", "r10", "r11")
      HEED_ADD_TWO("s0", "s1", "r4", "r5") HEED_ADD_TWO("s2", "s3", "r6", "r7")
      HEED_ADD_TWO("s4", "s5", "r8", "r9") HEED_ADD_TWO("s6", "s7", "r10", "r11")
      HEED_NEXT_GROUP HEED_END_GROUPS("8", "s7", "32"));
}

// Sums in r4-r7 lose some bits first.
#define HEED_SHIFT(shift, half)                       \
  "add r4, #" half "\n" "add r5, #" half "\n" "add r6, #" half "\n" "add r7, #" half "\n" \
  "asr r4, #" shift "\n" "asr r5, #" shift "\n" "asr r6, #" shift "\n" "asr r7, #" shift "\n"
#define HEED_ADD_MULTIPLIED(log2_bytes)   \
  "vmov r12, s8\n"                        \
  "add r0, #4<<" log2_bytes "\n"          \
  "ldr r2, [r12], #16\n"                  \
  "vmov r8, r9, s0, s1\n"                 \
  "vmov r10, r11, s2, s3\n"               \
  "vmov s8, r12\n"                        \
  "sxtb r3, r2\n"                         \
  "mla r8, r4, r3, r8\n"                  \
  "sxtb r3, r2, ror #8\n"                 \
  "mla r9, r5, r3, r9\n"                  \
  "sxtb r3, r2, ror #16\n"                \
  "mla r10, r6, r3, r10\n"                \
  "sxtb r3, r2, ror #24\n"                \
  "mla r11, r7, r3, r11\n"                \
  "vmov s0, s1, r8, r9\n"                 \
  "vmov s2, s3, r10, r11\n"
[[gnu::naked]] inline void groups_of_bytes(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_GROUPS("7", "") HEED_START_ONE HEED_ROUND(HEED_PAIR_FOUR_BYTES) HEED_SHIFT("6", "32")
      HEED_ADD_MULTIPLIED("7") HEED_NEXT_GROUP HEED_END_GROUPS("4", "s3", "16"));
}
[[gnu::naked]] inline void groups_of_nibbles(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_GROUPS("6", "") HEED_START_ONE "mov r2, #0x000F000F\n" HEED_ROUND(HEED_PAIR_NIBBLES)
      HEED_ADD_MULTIPLIED("6") HEED_NEXT_GROUP HEED_END_GROUPS("4", "s3", "16"));
}
/// Of rows of 16 bits.
[[gnu::naked]] inline void groups_of_nibbles_shifted(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_GROUPS("6", "") HEED_START_ONE "mov r2, #0x000F000F\n" HEED_ROUND(HEED_PAIR_NIBBLES)
      HEED_SHIFT("2", "2") HEED_ADD_MULTIPLIED("6") HEED_NEXT_GROUP HEED_END_GROUPS("4", "s3", "16"));
}
// clang-format on
#undef HEED_BEGIN_GROUPS
#undef HEED_NEXT_GROUP
#undef HEED_END_GROUPS
#undef HEED_MULTIPLY_FOUR
#undef HEED_ADD_TWO
#undef HEED_SHIFT
#undef HEED_ADD_MULTIPLIED

}  // namespace heed::detail
