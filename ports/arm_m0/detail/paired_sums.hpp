// SPDX-License-Identifier: MIT
//
// A row of numbers in pairs times a panel: 15 instructions for the eight products of two outputs' words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"
#include "high_registers.hpp"
#include "paired_row.hpp"

namespace heed::detail {

/// A row that is prepared.
struct PairedProduct {
  const PairedNumbers* words;
  std::int32_t* sums;           ///< [16], what it comes to
  const SingleNumber* singles;  ///< or null: there are none
  std::int32_t start;
};

// A word's products of weights in `weights`, which are lost.
#define HEED_ONE_WORD(weights, sum) \
  "eors " weights                   \
  ", r7\n"                          \
  "rev16 r2, " weights              \
  "\n"                              \
  "muls " weights                   \
  ", r5\n"                          \
  "muls r2, r6\n"                   \
  "adds r2, r2, " weights           \
  "\n"                              \
  "lsrs r2, r2, #16\n"              \
  "add " sum ", r2\n"
#define HEED_TWO_WORDS(first, second) "ldmia r0!, {r1, r4}\n" HEED_ONE_WORD("r1", first) HEED_ONE_WORD("r4", second)
#define HEED_ONE_SINGLE(at, sum) \
  "ldrb r1, [r0, #" at           \
  "]\n"                          \
  "muls r1, r5\n"                \
  "add " sum ", r1\n"
#define HEED_FOUR_SINGLES \
  HEED_ONE_SINGLE("0", "r8") HEED_ONE_SINGLE("4", "r9") HEED_ONE_SINGLE("8", "r10") HEED_ONE_SINGLE("12", "r11")
// All words of some outputs, from the weights at [sp] on, and then all single numbers; r0 is where the sums go.
#define HEED_ALL_WORDS(words, singles) \
  "ldr r1, [sp, #16]\n"                \
  "mov r8, r1\n"                       \
  "mov r9, r1\n"                       \
  "mov r10, r1\n"                      \
  "mov r11, r1\n"                      \
  "mov r12, r1\n"                      \
  "mov lr, r1\n"                       \
  "ldr r0, [sp]\n"                     \
  "ldr r3, [sp, #4]\n"                 \
  "ldmia r3!, {r2, r5-r7}\n"           \
  "adds r0, r0, r2\n"                  \
  "bcs 2f\n"                           \
  "1:\n" words                         \
  "ldmia r3!, {r2, r5-r7}\n"           \
  "adds r0, r0, r2\n"                  \
  "bcc 1b\n"                           \
  "2: ldr r3, [sp, #12]\n"             \
  "cmp r3, #0\n"                       \
  "beq 3f\n"                           \
  "ldr r0, [sp]\n"                     \
  "b 2f\n"                             \
  "1:\n" singles                       \
  "2: ldmia r3!, {r2, r5}\n"           \
  "adds r0, r0, r2\n"                  \
  "bcc 1b\n"                           \
  "3: ldr r0, [sp, #8]\n"              \
  "mov r1, r8\n"                       \
  "mov r2, r9\n"                       \
  "mov r3, r10\n"                      \
  "mov r4, r11\n"

/// Sums of a panel's weights: six, six and four outputs at a time.
[[gnu::naked, gnu::noinline]] inline void paired_sums(const PairedProduct*, const std::byte*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      HEED_SAVE_HIGH
      "ldmia r0!, {r2-r5}\n"
      "movs r6, r1\n"
      "adds r6, #48\n"
      "push {r1-r6}\n"
      "4:\n" HEED_ALL_WORDS(HEED_TWO_WORDS("r8", "r9") HEED_TWO_WORDS("r10", "r11") HEED_TWO_WORDS("r12", "lr"),
                            HEED_FOUR_SINGLES HEED_ONE_SINGLE("16", "r12") HEED_ONE_SINGLE("20", "lr"))
      "mov r5, r12\n"
      "mov r6, lr\n"
      "stmia r0!, {r1-r6}\n"
      "str r0, [sp, #8]\n"
      "ldr r0, [sp]\n"
      "ldr r1, [sp, #20]\n"
      "adds r0, #24\n"
      "str r0, [sp]\n"
      "cmp r0, r1\n"
      "bne 4b\n" HEED_ALL_WORDS(HEED_TWO_WORDS("r8", "r9") HEED_TWO_WORDS("r10", "r11") "adds r0, #8\n",
                                HEED_FOUR_SINGLES)
      "stmia r0!, {r1-r4}\n"
      "add sp, #24\n"
      HEED_RESTORE_HIGH
      "pop {r4-r7, pc}\n");
}
#undef HEED_ALL_WORDS
#undef HEED_FOUR_SINGLES
#undef HEED_ONE_SINGLE
#undef HEED_TWO_WORDS
#undef HEED_ONE_WORD

/// Room for a row of `inputs` numbers.
template <std::uint32_t inputs, std::uint32_t most_singles>
class PairedRow {
 public:
  /// Whether a row of so many numbers has been prepared, which may have too many great ones.
  [[nodiscard]] bool prepare(const std::byte* numbers, std::uint32_t count) noexcept {
    if (count > inputs || !pair_numbers(numbers, count, words_, singles_, most_singles, product_.start)) return false;
    product_.words = words_;
    product_.singles = singles_[0].step == ~0U ? nullptr : singles_;
    return true;
  }

  /// The row, if it is two words that are not 0, or null.
  [[nodiscard]] const PairedProduct* two_words() const noexcept {
    const bool two = words_[0].step == 0 && words_[1].step == 64 - 24 && words_[2].step == ~0U;
    return two ? &product_ : nullptr;
  }

  /// What it comes to goes to sums [16].
  void multiply(const std::byte* panel, std::int32_t* sums) noexcept {
    product_.sums = sums;
    paired_sums(&product_, panel);
  }

 private:
  PairedProduct product_;
  PairedNumbers words_[inputs / 4 + 1];
  SingleNumber singles_[most_singles + 1];
};

}  // namespace heed::detail
