// SPDX-License-Identifier: MIT
//
// A row of bytes times a panel, two products in one multiplication: of the weights of two inputs, v + 2^16 w, and their
// numbers, y + 2^16 x, it has v x + w y above 16 bits, of which a sum of four inputs has no more where their magnitudes
// come to at most 255. With their bias all four weights of a word are taken apart by two masks, and what the bias comes
// to is known beforehand: 11 instructions for four products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The numbers that a word of weights meets.
struct PairedNumbers {
  std::uint32_t step;   ///< bytes from the word before, or all bits after the last one
  std::uint32_t even;   ///< of inputs 2 and 0
  std::uint32_t odd;    ///< of inputs 3 and 1
  std::uint32_t start;  ///< takes the bias off, and has a half of what is below 16 bits
};

/// Prepares numbers [inputs] as at most `most` of these and what ends them; whether there is room. Four inputs whose
/// magnitudes come to more than 255 take two: many such take longer than sums without pairs.
[[nodiscard, gnu::noinline]] inline bool pair_numbers(const std::byte* row, std::uint32_t inputs, std::uint32_t most,
                                                      PairedNumbers* to) noexcept {
  const auto* x = reinterpret_cast<const std::int16_t*>(row);
  const auto* const end = x + inputs;
  const auto pair = [](std::int32_t high, std::int32_t low) noexcept {
    return (static_cast<std::uint32_t>(high) << 16) + static_cast<std::uint32_t>(low);
  };
  const auto start = [](std::uint32_t numbers) noexcept { return (1U << 15) - 0x00800080U * numbers; };
  const auto size = [](std::int32_t number) noexcept { return number < 0 ? -number : number; };
  const PairedNumbers* const last = to + most - 1;
  std::uint32_t step = 0;
  for (; x != end; x += 4, ++to) {
    if (to >= last) return false;
    const std::uint32_t even = pair(x[0], x[2]);
    const std::uint32_t odd = pair(x[1], x[3]);
    if (size(x[0]) + size(x[1]) + size(x[2]) + size(x[3]) <= 255) {
      *to = {step, even, odd, start(even + odd)};
    } else {
      *to = {step, even, 0, start(even)};
      *++to = {0, 0, odd, start(odd)};
    }
    step = 64;
  }
  to->step = ~0U;
  return true;
}

// A word's products, in r1, after what is added before they are shifted down.
#define HEED_ONE_WORD(at, start) \
  "ldr r1, [r0, #" at            \
  "]\n"                          \
  "eors r1, r4\n"                \
  "lsrs r2, r1, #8\n"            \
  "ands r1, r3\n"                \
  "ands r2, r3\n"                \
  "muls r1, r5\n"                \
  "muls r2, r6\n"                \
  "adds r1, r1, r2\n" start      \
  "\n"                           \
  "asrs r1, r1, #16\n"
#define HEED_ONE_OUTPUT(at, sum) HEED_ONE_WORD(at, "adds r1, r1, r7") "add " sum ", r1\n"
#define HEED_FOUR_OUTPUTS \
  HEED_ONE_OUTPUT("0", "r8") HEED_ONE_OUTPUT("4", "r9") HEED_ONE_OUTPUT("8", "r10") HEED_ONE_OUTPUT("12", "r11")
// All words of some outputs, from the weights at [sp, #4] on; r0 is where their sums go then.
#define HEED_ALL_WORDS(outputs) \
  "ldr r0, [sp, #4]\n"          \
  "ldr r1, [sp, #8]\n"          \
  "1: ldmia r1!, {r2, r5-r7}\n" \
  "str r1, [sp]\n"              \
  "adds r0, r0, r2\n"           \
  "bcs 2f\n" outputs            \
  "ldr r1, [sp]\n"              \
  "b 1b\n"                      \
  "2: ldr r0, [sp, #12]\n"
#define HEED_MASKS     \
  "movs r3, #255\n"    \
  "lsls r4, r3, #16\n" \
  "orrs r3, r4\n"      \
  "movs r4, #1\n"      \
  "lsls r5, r4, #15\n" \
  "lsls r4, r4, #31\n" \
  "orrs r4, r5\n"

/// sums [16] of a panel's weights: six, six and four outputs at a time.
[[gnu::naked, gnu::noinline]] inline void paired_sums(const std::byte*, const PairedNumbers*, std::int32_t*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r4-r7}\n"
      "movs r3, #2\n"
      "push {r0-r3}\n"
      "push {r1}\n" HEED_MASKS
      "3: movs r1, #0\n"
      "mov r8, r1\n"
      "mov r9, r1\n"
      "mov r10, r1\n"
      "mov r11, r1\n"
      "mov r12, r1\n"
      "mov lr, r1\n" HEED_ALL_WORDS(HEED_FOUR_OUTPUTS HEED_ONE_OUTPUT("16", "r12") HEED_ONE_OUTPUT("20", "lr"))
      "mov r1, r8\n"
      "mov r2, r9\n"
      "mov r5, r10\n"
      "mov r6, r11\n"
      "mov r7, r12\n"
      "stmia r0!, {r1, r2, r5-r7}\n"
      "mov r1, lr\n"
      "stmia r0!, {r1}\n"
      "str r0, [sp, #12]\n"
      "ldr r0, [sp, #4]\n"
      "adds r0, #24\n"
      "str r0, [sp, #4]\n"
      "ldr r1, [sp, #16]\n"
      "subs r1, #1\n"
      "str r1, [sp, #16]\n"
      "bne 3b\n"
      "mov r8, r1\n"
      "mov r9, r1\n"
      "mov r10, r1\n"
      "mov r11, r1\n" HEED_ALL_WORDS(HEED_FOUR_OUTPUTS)
      "mov r1, r8\n"
      "mov r2, r9\n"
      "mov r5, r10\n"
      "mov r6, r11\n"
      "stmia r0!, {r1, r2, r5, r6}\n"
      "add sp, #20\n"
      "pop {r4-r7}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "mov r11, r7\n"
      "pop {r4-r7, pc}\n");
}
#undef HEED_ALL_WORDS
#undef HEED_FOUR_OUTPUTS
#undef HEED_ONE_OUTPUT

// The same where sums are in memory.
#define HEED_ONE_SUM(at)           \
  HEED_ONE_WORD(at, "add r1, r12") \
  "ldr r2, [r7, #" at              \
  "]\n"                            \
  "adds r1, r1, r2\n"              \
  "str r1, [r7, #" at "]\n"
#define HEED_FOUR_SUMS(a, b, c, d) HEED_ONE_SUM(a) HEED_ONE_SUM(b) HEED_ONE_SUM(c) HEED_ONE_SUM(d)

/// sums [16] += of a panel, likewise: where there are few inputs, that is less than to come and go.
[[gnu::naked, gnu::noinline]] inline void sixteen_paired_sums(const std::byte*, const PairedNumbers*,
                                                              std::int32_t*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov lr, r1\n"
      "movs r7, r2\n" HEED_MASKS
      "1: mov r1, lr\n"
      "ldmia r1!, {r2, r5, r6}\n"
      "adds r0, r0, r2\n"
      "bcc 2f\n"
      "pop {r4-r7, pc}\n"
      "2: ldmia r1!, {r2}\n"
      "mov r12, r2\n"
      "mov lr, r1\n" HEED_FOUR_SUMS("0", "4", "8", "12") HEED_FOUR_SUMS("16", "20", "24", "28")
          HEED_FOUR_SUMS("32", "36", "40", "44") HEED_FOUR_SUMS("48", "52", "56", "60") "b 1b\n");
}
#undef HEED_FOUR_SUMS
#undef HEED_ONE_SUM
#undef HEED_ONE_WORD
#undef HEED_MASKS

}  // namespace heed::detail
