// SPDX-License-Identifier: MIT
//
// Two weights of 4 bits in one multiplication: (v + 2^16 w) (y + 2^16 x) has v x + w y above 16 bits. Of a group of 32
// inputs that has 15 bits and a sign without the bias of the weights, and what is below it, at most 16 * 15 * 127, has
// so with it: neither touches the other. 17 instructions take eight products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/detail/sums_of_nibbles.hpp>

#include "high_registers.hpp"

namespace heed::detail {

/// Where four or six outputs begin, the panel's words, and its multipliers for every four of them.
struct NibbleRun {
  const std::byte* weights;
  const std::byte* row;            ///< the first group: what takes the bias off, and pairs of numbers
  const std::int8_t* multipliers;  ///< 16 from one group to the next
  std::uint32_t words;             ///< more than none
};

// Four pairs of weights of an output, whose numbers are r4 to r7; r3 has a pair's bits.
#define HEED_ONE_OUTPUT(at, sum) \
  "ldr r1, [r0, #" at            \
  "]\n"                          \
  "movs r2, r1\n"                \
  "ands r2, r3\n"                \
  "muls r2, r4\n"                \
  "add " sum                     \
  ", r2\n"                       \
  "lsrs r2, r1, #4\n"            \
  "ands r2, r3\n"                \
  "muls r2, r5\n"                \
  "add " sum                     \
  ", r2\n"                       \
  "lsrs r2, r1, #8\n"            \
  "ands r2, r3\n"                \
  "muls r2, r6\n"                \
  "add " sum                     \
  ", r2\n"                       \
  "lsrs r1, r1, #12\n"           \
  "ands r1, r3\n"                \
  "muls r1, r7\n"                \
  "add " sum ", r1\n"
// A group's sum times its multiplier, r4 + output, is added to what r5 has.
#define HEED_END(output, at, sum) \
  "mov r1, " sum                  \
  "\n"                            \
  "asrs r1, r1, #16\n"            \
  "ldrb r2, [r4, #" output        \
  "]\n"                           \
  "sxtb r2, r2\n"                 \
  "muls r1, r2\n"                 \
  "ldr r2, [r5, #" at             \
  "]\n"                           \
  "adds r2, r2, r1\n"             \
  "str r2, [r5, #" at "]\n"
#define HEED_FOUR(one) one("0", "r8") one("4", "r9") one("8", "r10") one("12", "r11")
#define HEED_FOUR_ENDS \
  HEED_END("0", "0", "r8") HEED_END("1", "4", "r9") HEED_END("2", "8", "r10") HEED_END("3", "12", "r11")
// On the stack: the row from here on, its group's end, multipliers, words that are left, sums.
#define HEED_NIBBLES(start, outputs, ends) \
  ".syntax unified\n"                      \
  "push {r4-r7, lr}\n" HEED_SAVE_HIGH      \
  "movs r6, r1\n"                          \
  "ldmia r0!, {r1, r2, r3, r4}\n"          \
  "movs r0, r1\n"                          \
  "movs r1, r2\n"                          \
  "push {r1-r4, r6}\n"                     \
  "1:\n"                                   \
  "ldmia r1!, {r4}\n"                      \
  "lsls r4, r4, #16\n"                     \
  "movs r3, #1\n"                          \
  "lsls r3, r3, #15\n"                     \
  "adds r4, r4, r3\n" start                \
  "ldr r2, [sp, #12]\n"                    \
  "movs r3, #4\n"                          \
  "cmp r2, #4\n"                           \
  "bcs 2f\n"                               \
  "movs r3, r2\n"                          \
  "2: subs r2, r2, r3\n"                   \
  "str r2, [sp, #12]\n"                    \
  "lsls r3, r3, #4\n"                      \
  "adds r3, r3, r1\n"                      \
  "str r3, [sp, #4]\n"                     \
  "movs r3, #15\n"                         \
  "lsls r2, r3, #16\n"                     \
  "orrs r3, r2\n"                          \
  "3: ldmia r1!, {r4-r7}\n"                \
  "str r1, [sp]\n" outputs                 \
  "adds r0, #64\n"                         \
  "ldr r1, [sp]\n"                         \
  "ldr r2, [sp, #4]\n"                     \
  "cmp r1, r2\n"                           \
  "bne 3b\n"                               \
  "ldr r4, [sp, #8]\n"                     \
  "ldr r5, [sp, #16]\n" ends               \
  "adds r4, #16\n"                         \
  "str r4, [sp, #8]\n"                     \
  "ldr r1, [sp]\n"                         \
  "ldr r2, [sp, #12]\n"                    \
  "cmp r2, #0\n"                           \
  "beq 4f\n"                               \
  "b 1b\n"                                 \
  "4: add sp, #20\n" HEED_RESTORE_HIGH "pop {r4-r7, pc}\n"
#define HEED_FOUR_STARTS \
  "mov r8, r4\n"         \
  "mov r9, r4\n"         \
  "mov r10, r4\n"        \
  "mov r11, r4\n"

/// sums [4] += of a row and four outputs, [6] of six.
[[gnu::naked, gnu::noinline]] inline void four_sums_of_nibbles(const NibbleRun*, std::int32_t*) noexcept {
  asm(HEED_NIBBLES(HEED_FOUR_STARTS, HEED_FOUR(HEED_ONE_OUTPUT), HEED_FOUR_ENDS));
}
[[gnu::naked, gnu::noinline]] inline void six_sums_of_nibbles(const NibbleRun*, std::int32_t*) noexcept {
  asm(HEED_NIBBLES(HEED_FOUR_STARTS "mov r12, r4\nmov lr, r4\n",
                   HEED_FOUR(HEED_ONE_OUTPUT) HEED_ONE_OUTPUT("16", "r12") HEED_ONE_OUTPUT("20", "lr"),
                   HEED_FOUR_ENDS HEED_END("4", "16", "r12") HEED_END("5", "20", "lr")));
}
#undef HEED_FOUR_STARTS
#undef HEED_NIBBLES
#undef HEED_FOUR_ENDS
#undef HEED_FOUR
#undef HEED_END
#undef HEED_ONE_OUTPUT

/// Eight numbers of a row in order become what their weights meet in pairs: y + 2^16 x of inputs two apart.
inline void pair_numbers(std::int16_t* numbers) noexcept {
  std::int32_t x[8];
#pragma GCC unroll 8
  for (std::uint32_t i = 0; i < 8; ++i) x[i] = numbers[i];
#pragma GCC unroll 4
  for (std::uint32_t pair = 0; pair < 4; ++pair) {
    const std::uint32_t i = pair / 2 + pair % 2 * 4;
    numbers[2 * pair] = static_cast<std::int16_t>(x[i + 2]);
    numbers[2 * pair + 1] = static_cast<std::int16_t>(x[i] + (x[i + 2] >> 31));
  }
}

}  // namespace heed::detail
