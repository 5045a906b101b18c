// SPDX-License-Identifier: MIT
//
// Three instructions for a product: the sums are in the high registers, which only additions reach; four numbers of the
// row stay in low ones for four outputs, or for six, whose pointers are in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "high_registers.hpp"

namespace heed::detail {

// Four inputs of an output: bytes with a bias and signed ones, in turn.
#define HEED_ONE_OUTPUT(sum, step) \
  "ldrb r1, [r0]\n"                \
  "muls r1, r4\n"                  \
  "add " sum                       \
  ", r1\n"                         \
  "ldrsb r1, [r0, r2]\n"           \
  "muls r1, r5\n"                  \
  "add " sum                       \
  ", r1\n"                         \
  "ldrb r1, [r0, #2]\n"            \
  "muls r1, r6\n"                  \
  "add " sum                       \
  ", r1\n"                         \
  "ldrsb r1, [r0, r3]\n"           \
  "muls r1, r7\n"                  \
  "add " sum                       \
  ", r1\n"                         \
  "adds r0, #" step "\n"

/// sums [4]: (weights, the run's numbers, their end, sums), the first four registers. Of the weights of keys, many a
/// four are 0.
[[gnu::naked, gnu::noinline]] inline void four_sums_of_bytes(const std::byte*, const std::byte*, const std::byte*,
                                                             std::int32_t*) noexcept {
  asm(".syntax unified\n"
      "push {r3-r7, lr}\n"
      HEED_SAVE_HIGH
      "mov lr, r2\n"
      "mov r12, r1\n"
      "subs r1, #4\n"
      "ldr r4, [r1]\n"
      "mov r8, r4\n"
      "mov r9, r4\n"
      "mov r10, r4\n"
      "mov r11, r4\n"
      "movs r2, #1\n"
      "movs r3, #3\n"
      "1:\n"
      "mov r1, r12\n"
      "4: ldmia r1!, {r5, r7}\n"
      "movs r4, r5\n"
      "orrs r4, r7\n"
      "beq 3f\n"
      "mov r12, r1\n"
      "sxth r4, r5\n"
      "asrs r5, r5, #16\n"
      "sxth r6, r7\n"
      "asrs r7, r7, #16\n" HEED_ONE_OUTPUT("r8", "4") HEED_ONE_OUTPUT("r9", "4") HEED_ONE_OUTPUT("r10", "4")
          HEED_ONE_OUTPUT("r11", "52") "cmp r12, lr\n"
      "bne 1b\n"
      "5: mov r1, r8\n"
      "mov r2, r9\n"
      "mov r3, r10\n"
      "mov r4, r11\n"
      "ldr r0, [sp, #16]\n"
      "stmia r0!, {r1-r4}\n"
      HEED_RESTORE_HIGH
      "pop {r3-r7, pc}\n"
      "3: adds r0, #64\n"
      "cmp r1, lr\n"
      "bne 4b\n"
      "b 5b\n");
}

// Four inputs of six outputs, from the row's numbers at r1, which is left where the next ones are.
#define HEED_SIX_OUTPUTS                                                                                 \
  "ldmia r1!, {r5, r7}\n"                                                                                \
  "str r1, [sp]\n"                                                                                       \
  "sxth r4, r5\n"                                                                                        \
  "asrs r5, r5, #16\n"                                                                                   \
  "sxth r6, r7\n"                                                                                        \
  "asrs r7, r7, #16\n" HEED_ONE_OUTPUT("r8", "4") HEED_ONE_OUTPUT("r9", "4") HEED_ONE_OUTPUT("r10", "4") \
      HEED_ONE_OUTPUT("r11", "4") HEED_ONE_OUTPUT("r12", "4") HEED_ONE_OUTPUT("lr", "44") "ldr r1, [sp]\n"

/// sums [6] of a multiple of 8 inputs: as above.
[[gnu::naked, gnu::noinline]] inline void six_sums_of_bytes(const std::byte*, const std::byte*, const std::byte*,
                                                            std::int32_t*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n" HEED_SAVE_HIGH
      "push {r1-r3}\n"
      "subs r1, #4\n"
      "ldmia r1!, {r4}\n"
      "mov r8, r4\n"
      "mov r9, r4\n"
      "mov r10, r4\n"
      "mov r11, r4\n"
      "mov r12, r4\n"
      "mov lr, r4\n"
      "movs r2, #1\n"
      "movs r3, #3\n"
      "1:\n" HEED_SIX_OUTPUTS HEED_SIX_OUTPUTS
      "ldr r5, [sp, #4]\n"
      "cmp r1, r5\n"
      "beq 2f\n"
      "b 1b\n"
      "2:\n"
      "ldr r0, [sp, #8]\n"
      "mov r1, r8\n"
      "mov r2, r9\n"
      "mov r3, r10\n"
      "mov r4, r11\n"
      "mov r5, r12\n"
      "mov r6, lr\n"
      "stmia r0!, {r1-r6}\n"
      "add sp, #12\n" HEED_RESTORE_HIGH "pop {r4-r7, pc}\n");
}
#undef HEED_SIX_OUTPUTS
#undef HEED_ONE_OUTPUT

/// sums [8] of a run of `words` words of each output.
[[gnu::noinline]] inline void sums_of_bytes(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                            std::int32_t* to) noexcept {
  const std::byte* const x = run + sizeof(std::int32_t);
  four_sums_of_bytes(weights, x, x + words * 8, to);
  four_sums_of_bytes(weights + 16, x, x + words * 8, to + 4);
}

}  // namespace heed::detail
