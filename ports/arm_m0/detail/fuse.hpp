// SPDX-License-Identifier: MIT
//
// a * b + c by the first 32 bits of the product, of which less than 2 are lacking, and of the sum. What that is not
// enough to round by, and what is not normal, is left to the function for all CPUs.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>
#include <soft_floats/small_operations.hpp>

#include "multiply.hpp"

namespace heed::port {
inline namespace heed_own_code {

/// a * b + c, rounded once, by all bits.
[[nodiscard, gnu::noinline]] inline float fuse_exactly(float a, float b, float c) noexcept {
  constexpr IntegerUnit unit{.long_product = false, .leading_zeros = false};
  const auto a_bits = std::bit_cast<std::uint32_t>(a);
  const auto b_bits = std::bit_cast<std::uint32_t>(b);
  const auto c_bits = std::bit_cast<std::uint32_t>(c);
  const Parts a_parts{a_bits, exponent_of(a_bits)};
  const Parts b_parts{b_bits, exponent_of(b_bits)};
  const Parts c_parts{c_bits, exponent_of(c_bits)};
  if (is_normal(a_parts.exponent) && is_normal(b_parts.exponent) && is_normal(c_parts.exponent)) {
    return fuse<unit>(a_parts, b_parts, c_parts);
  }
  return fuse_special<unit>(a, b, c);
}

#ifdef __OPTIMIZE_SIZE__
inline constexpr auto multiply_apart = small_product;
#else
inline constexpr auto multiply_apart = multiply<IntegerUnit{false, false}>;
#endif

/// a * b + c, rounded once.
template <>
[[nodiscard, gnu::naked, gnu::noinline]] inline float fused_multiply_add<IntegerUnit{false, false}>(float, float,
                                                                                                    float) noexcept {
  asm(".syntax unified\n"
      "push {r0-r2, r4-r7, lr}\n"
      // Exponents: r3 of the product, with the addend's at r5 in units of 2^-158 where both begin with bit 31.
      "lsls r3, r0, #1\n"
      "lsrs r3, r3, #24\n"
      "subs r3, #1\n"
      "cmp r3, #254\n"
      "bcs 1f\n"
      "lsls r4, r1, #1\n"
      "lsrs r4, r4, #24\n"
      "subs r4, #1\n"
      "cmp r4, #254\n"
      "bcs 1f\n"
      "lsls r5, r2, #1\n"
      "lsrs r5, r5, #24\n"
      "beq 2f\n"
      "cmp r5, #255\n"
      "beq 1f\n"
      "adds r3, r3, r4\n"
      "subs r3, #124\n"
      "movs r4, r0\n"
      "eors r4, r1\n"
      "mov r12, r4\n"
      // r4 and r6: the product, and the addend.
      "movs r7, #1\n"
      "lsls r7, r7, #31\n"
      "lsls r4, r0, #8\n"
      "orrs r4, r7\n"
      "lsrs r4, r4, #16\n"
      "lsls r6, r1, #8\n"
      "orrs r6, r7\n"
      "lsrs r6, r6, #16\n"
      "uxtb r0, r0\n"
      "uxtb r1, r1\n"
      "muls r0, r6\n"
      "muls r1, r4\n"
      "adds r0, r0, r1\n"
      "lsrs r0, r0, #8\n"
      "muls r4, r6\n"
      "adds r4, r4, r0\n"
      "lsls r6, r2, #8\n"
      "orrs r6, r7\n"
      "subs r1, r3, r5\n"
      "bmi 3f\n"
      "cmp r1, #255\n"
      "bhi 1f\n"
      "lsrs r6, r1\n"
      "b 4f\n"
      // The first of a sum.
      "2: cmp r2, #0\n"
      "bne 1f\n"
      "bl %c1\n"
      "add sp, #12\n"
      "pop {r4-r7, pc}\n"
      "1: ldr r0, [sp]\n"
      "ldr r1, [sp, #4]\n"
      "ldr r2, [sp, #8]\n"
      "bl %c0\n"
      "add sp, #12\n"
      "pop {r4-r7, pc}\n"
      "3: negs r1, r1\n"
      "cmp r1, #255\n"
      "bhi 1b\n"
      "lsrs r4, r1\n"
      "movs r3, r5\n"
      "4: mov r1, r12\n"
      "eors r1, r2\n"
      "bmi 5f\n"
      // A sum, of which less than 3 are lacking.
      "adds r4, r4, r6\n"
      "bcs 6f\n"
      "bmi 7f\n"
      "adds r4, r4, r4\n"
      "subs r3, #1\n"
      "adds r4, #0x86\n"
      "bcs 1b\n"
      "uxtb r1, r4\n"
      "cmp r1, #7\n"
      "bcc 1b\n"
      "b 8f\n"
      "6: lsrs r4, r4, #1\n"
      "orrs r4, r7\n"
      "adds r3, #1\n"
      "7: adds r4, #0x83\n"
      "bcs 1b\n"
      "uxtb r1, r4\n"
      "cmp r1, #4\n"
      "bcc 1b\n"
      "8: lsrs r4, r4, #8\n"
      "subs r3, #1\n"
      "cmp r3, #253\n"
      "bcs 1b\n"
      "lsls r3, r3, #23\n"
      "adds r4, r4, r3\n"
      "mov r0, r12\n"
      "lsrs r0, r0, #31\n"
      "lsls r0, r0, #31\n"
      "orrs r0, r4\n"
      "add sp, #12\n"
      "pop {r4-r7, pc}\n"
      // A difference, which is off by less than r0 either way.
      "5: movs r0, #3\n"
      "subs r4, r4, r6\n"
      "bcs 6f\n"
      "negs r4, r4\n"
      "mov r12, r2\n"
      "6: cmp r4, #0\n"
      "bmi 7f\n"
      "6: subs r3, #1\n"
      "adds r0, r0, r0\n"
      "cmp r0, #100\n"
      "bhi 1b\n"
      "adds r4, r4, r4\n"
      "bpl 6b\n"
      "7: adds r4, r4, r0\n"
      "bcs 1b\n"
      "adds r4, #0x80\n"
      "bcs 1b\n"
      "uxtb r1, r4\n"
      "adds r0, r0, r0\n"
      "cmp r1, r0\n"
      "bls 1b\n"
      "b 8b\n" ::"i"(&fuse_exactly),
      "i"(multiply_apart));
}

}  // namespace heed_own_code
}  // namespace heed::port
