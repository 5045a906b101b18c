// SPDX-License-Identifier: MIT
//
// A row of eight numbers in pairs times panels: both words of an output in one pass, 18 instructions each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "high_registers.hpp"
#include "paired_row.hpp"

namespace heed::detail {

/// Two words of numbers, the second 64 bytes after the first, and where the sums go.
struct TwoPairedWords {
  const std::uint32_t* first;  ///< word, swapped and flips; those of the second are 16 bytes further on
  std::int32_t start;
  std::int32_t* sums;  ///< [16] for each panel
  const std::int32_t* end;
  const SingleNumber* singles;  ///< or null: there are none
};

// Two outputs' products of one of their words, which are two weights at r1 and r4, from bit 16 on.
#define HEED_PRODUCT(weights) \
  "eors " weights             \
  ", r7\n"                    \
  "rev16 r2, " weights        \
  "\n"                        \
  "muls " weights             \
  ", r5\n"                    \
  "muls r2, r6\n"             \
  "adds " weights ", " weights ", r2\n"
#define HEED_BEGIN_ONE(weights, sum) \
  HEED_PRODUCT(weights)              \
  "lsrs " weights ", " weights       \
  ", #16\n"                          \
  "add " weights                     \
  ", r12\n"                          \
  "mov " sum ", " weights "\n"
#define HEED_END_ONE(weights, sum) \
  HEED_PRODUCT(weights)            \
  "lsrs " weights ", " weights     \
  ", #16\n"                        \
  "add " weights ", " sum "\n"
#define HEED_BEGIN(one, other) "ldmia r0!, {r1, r4}\n" HEED_BEGIN_ONE("r1", one) HEED_BEGIN_ONE("r4", other)
#define HEED_END(one, other) \
  "ldmia r0!, {r1, r4}\n" HEED_END_ONE("r1", one) HEED_END_ONE("r4", other) "stmia r3!, {r1, r4}\n"
#define HEED_FIRST_WORD "mov r2, lr\nldmia r2!, {r5-r7}\n"
#define HEED_SECOND_WORD "mov r2, lr\nadds r2, #16\nldmia r2!, {r5-r7}\n"
// The next eight outputs: four by the first word and then by the second one, and four the other way.
#define HEED_EIGHT_OUTPUTS                                                                             \
  HEED_BEGIN("r8", "r9")                                                                               \
  HEED_BEGIN("r10", "r11")                                                                             \
  HEED_SECOND_WORD "adds r0, #48\n" HEED_END("r8", "r9") HEED_END("r10", "r11") HEED_BEGIN("r8", "r9") \
      HEED_BEGIN("r10", "r11") HEED_FIRST_WORD "subs r0, #80\n" HEED_END("r8", "r9") HEED_END("r10", "r11")

#define HEED_ONE_SINGLE(at, sum) \
  "ldrb r2, [r0, #" at           \
  "]\n"                          \
  "muls r2, r1\n"                \
  "adds " sum ", " sum ", r2\n"
#define HEED_FOUR_SINGLES(a, b, c, d)                                                               \
  "ldmia r3!, {r4-r7}\n" HEED_ONE_SINGLE(a, "r4") HEED_ONE_SINGLE(b, "r5") HEED_ONE_SINGLE(c, "r6") \
      HEED_ONE_SINGLE(d, "r7") "subs r3, #16\nstmia r3!, {r4-r7}\n"

/// The sums of panels of two words each, of which at least one is asked for.
[[gnu::naked, gnu::noinline]] inline void sum_two_words(const TwoPairedWords*, const std::byte*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      HEED_SAVE_HIGH
      "ldmia r0!, {r2-r6}\n"
      "mov lr, r2\n"
      "mov r12, r3\n"
      "movs r3, r4\n"
      "push {r5, r6}\n"
      "movs r0, r1\n" HEED_FIRST_WORD "1:\n" HEED_EIGHT_OUTPUTS HEED_EIGHT_OUTPUTS
      "ldr r2, [sp, #4]\n"
      "cmp r2, #0\n"
      "bne 5f\n"
      "4: ldr r2, [sp]\n"
      "cmp r3, r2\n"
      "beq 2f\n"
      "adds r0, #64\n"
      "b 1b\n"
      // Single numbers, one after the other, to sums that are there.
      "5: mov r9, r0\n"
      "subs r0, #64\n"
      "b 6f\n"
      "3: mov r8, r2\n"
      "subs r3, #64\n" HEED_FOUR_SINGLES("0", "4", "8", "12") HEED_FOUR_SINGLES("16", "20", "24", "28")
      "adds r0, #32\n" HEED_FOUR_SINGLES("0", "4", "8", "12") HEED_FOUR_SINGLES("16", "20", "24", "28")
      "subs r0, #32\n"
      "mov r2, r8\n"
      "6: ldmia r2!, {r1, r4}\n"
      "adds r0, r0, r1\n"
      "movs r1, r4\n"
      "bcc 3b\n"
      "mov r0, r9\n" HEED_FIRST_WORD
      "b 4b\n"
      "2: add sp, #8\n"
      HEED_RESTORE_HIGH
      "pop {r4-r7, pc}\n");
}
#undef HEED_FOUR_SINGLES
#undef HEED_ONE_SINGLE
#undef HEED_EIGHT_OUTPUTS
#undef HEED_SECOND_WORD
#undef HEED_FIRST_WORD
#undef HEED_END
#undef HEED_BEGIN
#undef HEED_END_ONE
#undef HEED_BEGIN_ONE
#undef HEED_PRODUCT

}  // namespace heed::detail
