// SPDX-License-Identifier: MIT
//
// A row of bytes for products of two of its numbers in one multiplication: v + 2^16 w times y + 2^16 x has v x + w y
// from bit 16 on, where nothing is negative and those sums are below 2^16. The bits of a weight are flipped where its
// number is negative, so that none is; with their bias, weights are below 2^8, and what four numbers' magnitudes come
// to is at most 257. A word of flipped weights is E + 2^8 O, which have two of them each, and O + 2^8 E with its bytes
// swapped: these times numbers that E x + O y follows from take no masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "heed/format.hpp"
#include "high_registers.hpp"

namespace heed::detail {

/// The numbers that a word of weights meets.
struct PairedNumbers {
  std::uint32_t step;  ///< bytes from the 24th after the word before, or all bits after the last one
  std::uint32_t word;  ///< meets the word
  std::uint32_t swapped;
  std::uint32_t flips;  ///< bits of the word
};

/// A number that is too great beside the others of its word.
struct SingleNumber {
  std::uint32_t step;  ///< bytes from the weight before, or all bits after the last one
  std::int32_t number;
};

/// What has been made of a row.
struct PairedSoFar {
  const std::byte* end;  ///< of the row's numbers
  PairedNumbers* word;
  std::uint32_t step;
  std::uint32_t magnitudes;  ///< of all numbers, in two halves
  std::uint32_t negative;    ///< of those below 0, likewise
  SingleNumber* single;
  const SingleNumber* last_single;
  std::uint32_t single_at;  ///< bytes from the first weight
  std::int32_t start;       ///< takes the bias of the weights of single numbers off
};

/// Prepares words of numbers up to the end, or up to one whose magnitudes come to more than 257, which is returned.
[[gnu::naked, gnu::noinline]] inline const std::byte* pair_words(const std::byte*, PairedSoFar*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "mov r7, r11\n"
      "push {r1, r4-r7}\n"
      "ldmia r1!, {r2-r6}\n"
      "mov r9, r2\n"
      "movs r1, r3\n"
      "mov r10, r4\n"
      "mov r11, r5\n"
      "mov r12, r6\n"
      "movs r2, #1\n"
      "lsls r3, r2, #16\n"
      "orrs r2, r3\n"
      "mov r8, r2\n"
      "lsls r3, r2, #8\n"
      "subs r3, r3, r2\n"
      "mov lr, r3\n"
      "b 5f\n"
      "1:\n"
      // Numbers 0 and 2 at r4, 1 and 3 at r2, and then what is negative at r6 and r5 and the magnitudes.
      "ldmia r0!, {r2, r3}\n"
      "uxth r4, r2\n"
      "lsls r5, r3, #16\n"
      "adds r4, r4, r5\n"
      "lsrs r2, r2, #16\n"
      "lsrs r3, r3, #16\n"
      "lsls r3, r3, #16\n"
      "adds r2, r2, r3\n"
      "mov r7, r8\n"
      "lsrs r5, r4, #15\n"
      "ands r5, r7\n"
      "lsls r6, r5, #16\n"
      "subs r6, r6, r5\n"
      "eors r4, r6\n"
      "adds r4, r4, r5\n"
      "lsrs r3, r2, #15\n"
      "ands r3, r7\n"
      "lsls r5, r3, #16\n"
      "subs r5, r5, r3\n"
      "eors r2, r5\n"
      "adds r2, r2, r3\n"
      "adds r3, r2, r4\n"
      "beq 2f\n"
      "lsls r7, r3, #16\n"
      "adds r7, r7, r3\n"
      "lsrs r7, r7, #16\n"
      "subs r7, #255\n"
      "cmp r7, #2\n"
      "bgt 3f\n"
      "add r11, r3\n"
      "movs r3, r4\n"
      "ands r3, r6\n"
      "add r12, r3\n"
      "movs r3, r2\n"
      "ands r3, r5\n"
      "add r12, r3\n"
      // As pair_word() has it.
      "mov r7, lr\n"
      "ands r6, r7\n"
      "bics r5, r7\n"
      "orrs r6, r5\n"
      "mov r7, r8\n"
      "lsls r7, r7, #15\n"
      "eors r6, r7\n"
      "movs r7, #16\n"
      "rors r4, r7\n"
      "rors r2, r7\n"
      "lsls r3, r4, #8\n"
      "subs r2, r2, r3\n"
      "lsls r5, r2, #16\n"
      "adds r5, r5, r2\n"
      "lsls r3, r5, #8\n"
      "subs r4, r4, r3\n"
      "mov r3, r10\n"
      "stmia r1!, {r3-r6}\n"
      "movs r3, #40\n"
      "mov r10, r3\n"
      "5: cmp r0, r9\n"
      "bne 1b\n"
      "b 4f\n"
      "2: movs r3, #64\n"
      "add r10, r3\n"
      "b 5b\n"
      "3: subs r0, #8\n"
      "4: ldr r7, [sp]\n"
      "adds r7, #4\n"
      "movs r2, r1\n"
      "mov r3, r10\n"
      "mov r4, r11\n"
      "mov r5, r12\n"
      "stmia r7!, {r2-r5}\n"
      "add sp, #4\n" HEED_RESTORE_HIGH "pop {r4-r7, pc}\n");
}

/// The greater one of a word's numbers 0 and 2, `even`, becomes 0 here and single there, or both do, until what is left
/// and the others, whose magnitudes come to `rest`, are at most 257; false where there is no room. `at`: bytes from
/// the first weight to the word's.
[[nodiscard]] inline bool take_singles(std::int32_t (&even)[2], std::uint32_t rest, std::uint32_t at,
                                       PairedSoFar& row) noexcept {
  const auto size = [](std::int32_t number) noexcept {
    return static_cast<std::uint32_t>(number < 0 ? -number : number);
  };
  const bool first = size(even[0]) >= size(even[1]);
  const bool both = (first ? size(even[1]) : size(even[0])) + rest > 257;
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (!both && first != (i == 0)) continue;
    if (row.single == row.last_single) return false;
    const std::uint32_t weight_at = at + i * 2;
    *row.single++ = {weight_at - row.single_at, even[i]};
    row.single_at = weight_at;
    row.start -= 128 * even[i];
    even[i] = 0;
  }
  return true;
}

/// Prepares the word of numbers x, whose magnitudes come to more than 257; whether there is room.
[[nodiscard, gnu::noinline]] inline bool pair_word(const std::int16_t* x, std::uint32_t at, PairedSoFar& row) noexcept {
  std::int32_t even[] = {x[0], x[2]};
  const std::int32_t odd[] = {x[1], x[3]};
  const auto magnitudes = [](const std::int32_t(&pair)[2]) noexcept {
    return static_cast<std::uint32_t>(pair[0] < 0 ? -pair[0] : pair[0]) +
           (static_cast<std::uint32_t>(pair[1] < 0 ? -pair[1] : pair[1]) << 16);
  };
  const auto negative = [](const std::int32_t(&pair)[2]) noexcept {
    return (pair[0] < 0 ? 0xFFFFU : 0U) + (pair[1] < 0 ? 0xFFFF0000U : 0U);
  };
  const std::uint32_t others = magnitudes(odd);
  if (!take_singles(even, (others >> 16) + (others & 0xFFFFU), at, row)) return false;
  const std::uint32_t pair = magnitudes(even);
  row.magnitudes += pair + others;
  row.negative += (pair & negative(even)) + (others & negative(odd));
  // E y + O z = (E + 2^8 O) (y - 2^8 d) + (O + 2^8 E) d where d (1 - 2^16) = z - 2^8 y.
  const std::uint32_t y = pair << 16 | pair >> 16;
  const std::uint32_t z = others << 16 | others >> 16;
  const std::uint32_t difference = z - (y << 8);
  const std::uint32_t swapped = difference + (difference << 16);
  const std::uint32_t flips = ((negative(even) & 0x00FF00FFU) | (negative(odd) & 0xFF00FF00U)) ^ 0x80008000U;
  *row.word++ = {row.step, y - (swapped << 8), swapped, flips};
  row.step = 64 - 24;
  return true;
}

/// Prepares numbers [inputs], which begin at a multiple of 4 bytes, at `word` [inputs / 4 + 1] and `single`
/// [most_singles + 1]; whether there is room. `start` receives what takes the bias of all weights off.
[[nodiscard, gnu::noinline]] inline bool pair_numbers(const std::byte* numbers, std::uint32_t inputs,
                                                      PairedNumbers* word, SingleNumber* single,
                                                      std::uint32_t most_singles, std::int32_t& start) noexcept {
  PairedSoFar row;
  row.end = numbers + inputs * sizeof(std::int16_t);
  row.word = word;
  row.step = row.magnitudes = row.negative = row.single_at = 0;
  row.single = single;
  row.last_single = single + most_singles;
  row.start = 0;
  const std::byte* x = numbers;
  while ((x = pair_words(x, &row)) != row.end) {
    const auto at = static_cast<std::uint32_t>(x - numbers) * 8;
    if (!pair_word(reinterpret_cast<const std::int16_t*>(x), at, row)) return false;
    x += 4 * sizeof(std::int16_t);
  }
  row.word->step = row.single->step = ~0U;
  const auto sum = [](std::uint32_t halves) noexcept { return (halves & 0xFFFFU) + (halves >> 16); };
  start = row.start - static_cast<std::int32_t>(sum(row.magnitudes) * 128 - sum(row.negative));
  return true;
}

}  // namespace heed::detail
