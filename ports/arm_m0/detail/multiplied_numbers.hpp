// SPDX-License-Identifier: MIT
//
// Numbers times a factor, one after the other as long as the product's first 32 bits decide it: three products of 16
// and 8 bits for one of 24 bits, which lack less than 2 of the last place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// A row of numbers up to `end`, and what they are multiplied by: a factor above 0 whose exponent is within 64..188.
struct MultipliedNumbers {
  const float* end;
  std::ptrdiff_t to_results;  ///< bytes from the number after one to its product
  std::int32_t exponent;      ///< the factor's, less 64
  std::uint32_t high;         ///< of its mantissa 16 bits
  std::uint32_t low;          ///< and 8
};

/// results = numbers * factor; returns the first number that is left, or `end`. The exponent of what is not left is
/// within 64..190.
[[gnu::naked, gnu::noinline]] inline const float* multiply_numbers(const float*, const MultipliedNumbers*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "mov r4, r8\n"
      "mov r5, r9\n"
      "mov r6, r10\n"
      "push {r4-r6}\n"
      "ldmia r1!, {r2-r6}\n"
      "mov r8, r2\n"
      "mov r9, r3\n"
      "mov r10, r4\n"
      "movs r4, r6\n"
      "movs r3, #128\n"
      "lsls r3, r3, #8\n"
      "mov r12, r3\n"
      "b 4f\n"
      "3: ldmia r0!, {r1}\n"
      "lsls r2, r1, #1\n"
      "lsrs r2, r2, #24\n"
      "subs r2, #64\n"
      "cmp r2, #126\n"
      "bhi 9f\n"
      "add r2, r10\n"
      "lsls r3, r1, #9\n"
      "lsrs r3, r3, #17\n"
      "add r3, r12\n"
      "uxtb r6, r1\n"
      "muls r6, r5\n"
      "movs r7, r3\n"
      "muls r7, r4\n"
      "adds r6, r6, r7\n"
      "lsrs r6, r6, #8\n"
      "muls r3, r5\n"
      "adds r3, r3, r6\n"
      "bmi 1f\n"
      "adds r3, r3, r3\n"
      "adds r3, #0x82\n"
      "bcs 9f\n"
      "uxtb r6, r3\n"
      "cmp r6, #3\n"
      "bcc 9f\n"
      "b 2f\n"
      "1: adds r2, #1\n"
      "adds r3, #0x81\n"
      "bcs 9f\n"
      "uxtb r6, r3\n"
      "cmp r6, #2\n"
      "bcc 9f\n"
      "2: lsrs r1, r1, #31\n"
      "lsls r1, r1, #8\n"
      "adds r2, r2, r1\n"
      "lsls r2, r2, #23\n"
      "lsrs r3, r3, #8\n"
      "adds r3, r3, r2\n"
      "mov r6, r9\n"
      "str r3, [r0, r6]\n"
      "4: cmp r0, r8\n"
      "bne 3b\n"
      "b 8f\n"
      "9: subs r0, #4\n"
      "8: pop {r4-r6}\n"
      "mov r8, r4\n"
      "mov r9, r5\n"
      "mov r10, r6\n"
      "pop {r4-r7, pc}\n");
}

}  // namespace heed::detail
