// SPDX-License-Identifier: MIT
//
// Sums of integers times a factor, one after the other as long as the product's first 32 bits decide it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/zeros_of_byte.hpp>

namespace heed::detail {

/// Sums up to `end`, and what they are multiplied by: a factor above 0 whose exponent is within 64..188.
struct MultipliedSums {
  const float* end;
  std::int32_t exponent;  ///< the factor's, and 22
  std::uint32_t high;     ///< of its mantissa 16 bits
  std::uint32_t low;      ///< and 8
};

/// The bits of integers become those of their products with the factor; returns the first that is left, or `end`: all
/// of less than 17 bits or more than 24 are left.
[[gnu::naked, gnu::noinline]] inline float* multiply_sums(float*, const MultipliedSums*) noexcept {
  asm(".syntax unified\n"
      "push {r4-r7, lr}\n"
      "ldmia r1!, {r2-r5}\n"
      "mov r12, r2\n"
      "mov lr, r3\n"
      "b 3f\n"
      "4: ldr r1, [r0]\n"
      "asrs r2, r1, #31\n"
      "adds r1, r1, r2\n"
      "eors r1, r2\n"
      "lsrs r6, r1, #16\n"
      "beq 9f\n"
      "cmp r6, #255\n"
      "bhi 9f\n"
      // The sum's first bit becomes bit 23.
      "ldr r7, =%c0\n"
      "ldrb r6, [r7, r6]\n"
      "lsls r1, r6\n"
      "mov r3, lr\n"
      "subs r3, r3, r6\n"
      "uxtb r6, r1\n"
      "lsrs r1, r1, #8\n"
      "muls r6, r4\n"
      "movs r7, r1\n"
      "muls r7, r5\n"
      "adds r6, r6, r7\n"
      "lsrs r6, r6, #8\n"
      "muls r1, r4\n"
      "adds r1, r1, r6\n"
      "bmi 1f\n"
      "adds r1, r1, r1\n"
      "adds r1, #0x82\n"
      "bcs 9f\n"
      "uxtb r6, r1\n"
      "cmp r6, #3\n"
      "bcc 9f\n"
      "b 2f\n"
      "1: adds r3, #1\n"
      "adds r1, #0x81\n"
      "bcs 9f\n"
      "uxtb r6, r1\n"
      "cmp r6, #2\n"
      "bcc 9f\n"
      "2: lsls r2, r2, #31\n"
      "lsls r3, r3, #23\n"
      "lsrs r1, r1, #8\n"
      "adds r1, r1, r3\n"
      "adds r1, r1, r2\n"
      "stmia r0!, {r1}\n"
      "3: cmp r0, r12\n"
      "bne 4b\n"
      "9: pop {r4-r7, pc}\n"
      ".ltorg\n" ::"i"(&port::zeros_of_byte));
}

}  // namespace heed::detail
