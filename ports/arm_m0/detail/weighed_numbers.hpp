// SPDX-License-Identifier: MIT
//
// Numbers times a factor and a weight each, both products rounded, one after the other as long as their first 32 bits
// decide them: three products of 16 and 8 bits for one of 24 bits, which lack less than 2 of the last place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <soft_floats/products.hpp>

#include "high_registers.hpp"

namespace heed::detail {

/// A row of numbers up to `end`, and what they are multiplied by.
struct WeighedNumbers {
  const float* end;
  std::ptrdiff_t to_weights;  ///< bytes from a number to its weight
  std::ptrdiff_t to_results;
  std::int32_t exponent;  ///< the factor's, less 191
  std::uint32_t high;     ///< of its mantissa 16 bits
  std::uint32_t low;      ///< and 8
};

// The first 32 bits of a product in r3, and the flags of it: rounded, the first bit at the top. A half way within what
// it lacks, and what leads to a power of two, is left.
#define HEED_ROUND    \
  "bmi 1f\n"          \
  "adds r3, r3, r3\n" \
  "adds r3, #0x82\n"  \
  "bcs 9f\n"          \
  "uxtb r6, r3\n"     \
  "cmp r6, #3\n"      \
  "bcc 9f\n"          \
  "b 2f\n"            \
  "1: adds r2, #1\n"  \
  "adds r3, #0x81\n"  \
  "bcs 9f\n"          \
  "uxtb r6, r3\n"     \
  "cmp r6, #2\n"      \
  "bcc 9f\n"          \
  "2:\n"

/// results = numbers * factor * weights; returns the first number that is left, or `end`. The exponent of a factor is
/// within 65..189, and so are a weight's that is not left, and that of a product with the factor from 64 to 190.
[[gnu::naked, gnu::noinline]] inline const float* weigh_numbers(const float*, const WeighedNumbers*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n" HEED_SAVE_HIGH
      "ldmia r1!, {r2-r7}\n"
      "mov r8, r2\n"
      "mov r9, r3\n"
      "mov r10, r4\n"
      "mov r11, r5\n"
      "movs r4, r6\n"
      "movs r5, r7\n"
      "movs r3, #128\n"
      "lsls r3, r3, #8\n"
      "mov r12, r3\n"
      "b 4f\n"
      "3: ldr r1, [r0]\n"
      "lsls r2, r1, #1\n"
      "lsrs r2, r2, #24\n"
      "add r2, r11\n"
      "cmp r2, #127\n"
      "bcs 9f\n"
      "lsls r3, r1, #9\n"
      "lsrs r3, r3, #17\n"
      "add r3, r12\n"
      "uxtb r6, r1\n"
      "muls r6, r4\n"
      "movs r7, r3\n"
      "muls r7, r5\n"
      "adds r6, r6, r7\n"
      "lsrs r6, r6, #8\n"
      "muls r3, r4\n"
      "adds r3, r3, r6\n" HEED_ROUND
      // The weight: its exponent, the sign, and 16 and 8 bits each.
      "mov r6, r9\n"
      "ldr r6, [r0, r6]\n"
      "lsls r7, r6, #1\n"
      "lsrs r7, r7, #24\n"
      "subs r7, #64\n"
      "cmp r7, #126\n"
      "bcs 9f\n"
      "adds r2, r2, r7\n"
      "eors r1, r6\n"
      "lsrs r1, r1, #31\n"
      "lsls r1, r1, #8\n"
      "adds r2, r2, r1\n"
      "lsls r7, r6, #9\n"
      "lsrs r7, r7, #17\n"
      "add r7, r12\n"
      "uxtb r6, r6\n"
      "lsls r1, r3, #16\n"
      "lsrs r1, r1, #24\n"
      "lsrs r3, r3, #16\n"
      "muls r6, r3\n"
      "muls r1, r7\n"
      "adds r6, r6, r1\n"
      "lsrs r6, r6, #8\n"
      "muls r3, r7\n"
      "adds r3, r3, r6\n" HEED_ROUND
      "lsrs r3, r3, #8\n"
      "lsls r2, r2, #23\n"
      "adds r3, r3, r2\n"
      "mov r6, r10\n"
      "str r3, [r0, r6]\n"
      "adds r0, #4\n"
      "4: cmp r0, r8\n"
      "bne 3b\n"
      "9:\n" HEED_RESTORE_HIGH "pop {r4-r7, pc}\n");
}
#undef HEED_ROUND

}  // namespace heed::detail
