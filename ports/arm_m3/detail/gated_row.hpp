// SPDX-License-Identifier: MIT
//
// A SiLU of integers times a factor, straight ahead: 56 instructions with a table of the sigmoid, where a compiler
// takes 90 without. What is beyond the table or nearly 0, what the first 32 bits of a product are not enough to round
// by, and what is not normal, is left out.
#pragma once

#include <cstdint>
#include <soft_floats/products.hpp>

#ifdef __OPTIMIZE_SIZE__
#include <long_products/detail/gated_row.hpp>
#else
#include <sigmoid_shares.hpp>

namespace heed::detail {

static_assert(sigmoid_most == 2308);

// clang-format off
/// to = x * share(x) * factor, each step rounded, from the first number on; returns how many are left, from the first
/// one that takes more than this.
[[gnu::naked, gnu::noinline]] inline std::uint32_t gate_by_table(const float* /*x*/, const float* /*factors*/,
                                                                 std::uint32_t /*count*/, float* /*to*/,
                                                                 const std::uint16_t* /*shares*/) noexcept {
  // r6 is the sign bit, r5 the bits of 2308 / 256, from which on the table has no share.
  asm("push {r4-r11, lr}\n"
      "ldr r4, [sp, #36]\n"
      "movw r5, #0x4000\n"
      "movt r5, #0x4110\n"
      "mov r6, #0x80000000\n"
      "1:\n"
      "ldr r7, [r0], #4\n"
      "ldr r8, [r1], #4\n"
      "bic r9, r7, r6\n"
      "cmp r9, r5\n"
      "bhs 9f\n"
      "lsr r10, r9, #23\n"
      "rsb r11, r10, #150\n"
      "cmp r11, #32\n"
      "bhi 9f\n"
      "orr r9, r6, r7, lsl #8\n"
      "lsr r12, r9, r11\n"
      "rsb lr, r11, #32\n"
      "lsl lr, r9, lr\n"
      "cmp lr, r6\n"               // the carry is what is rounded by
      "beq 9f\n"
      "adc r12, r12, #0\n"
      "ldrh r12, [r4, r12, lsl #1]\n"
      "cmp r7, #0\n"
      "bpl 2f\n"
      "rsbs r12, r12, #8192\n"
      "beq 9f\n"
      "2:\n"
      "clz lr, r12\n"
      "lsl r12, r12, lr\n"
      "umull r11, r12, r12, r9\n"
      "ubfx r9, r8, #23, #8\n"
      "sub r11, r9, #1\n"
      "cmp r11, #254\n"
      "bhs 9f\n"
      "add r10, r10, r9\n"
      "sub r10, r10, lr\n"
      "clz lr, r12\n"
      "lsl r12, r12, lr\n"
      "sub r10, r10, lr\n"
      "adds r12, r12, #128\n"
      "bcs 9f\n"
      "lsls r11, r12, #24\n"
      "beq 9f\n"
      "bic r12, r12, #255\n"
      "orr r11, r6, r8, lsl #8\n"
      "umull r11, r12, r12, r11\n"
      "clz lr, r12\n"
      "lsl r12, r12, lr\n"
      "sub r10, r10, lr\n"
      "sub r10, r10, #108\n"
      "lsls r11, r12, #24\n"
      "cmp r11, r6\n"
      "beq 9f\n"
      "cmp r10, #253\n"
      "bhs 9f\n"
      "lsrs r12, r12, #8\n"
      "adc r12, r12, r10, lsl #23\n"
      "eor r7, r7, r8\n"
      "bfi r7, r12, #0, #31\n"
      "str r7, [r3], #4\n"
      "subs r2, #1\n"
      "bne 1b\n"
      "9:\n"
      "mov r0, r2\n"
      "pop {r4-r11, pc}\n");
}
// clang-format on

/// to = Function{}(from) * factors from the first number on: how many are left, of which the first takes more than
/// this.
template <class Function>
[[nodiscard, gnu::always_inline]] inline std::uint32_t gate_row(const float* from, const float* factors,
                                                                std::uint32_t count, float* to) noexcept {
  if constexpr (requires { Function::is_integer_gelu; }) {
    if constexpr (!Function::is_integer_gelu) return gate_by_table(from, factors, count, to, sigmoid_shares.of);
  }
  return count;
}

}  // namespace heed::detail
#endif
