// SPDX-License-Identifier: MIT
//
// Sums of two rows of floats, straight ahead: about 42 instructions for each number, where a compiler takes 50. What is
// not normal is left out.
#pragma once

#ifdef __OPTIMIZE_SIZE__
#include <long_products/detail/row_sums.hpp>
#else

#include <cstddef>
#include <cstdint>
#include <long_products/top_sums.hpp>

namespace heed::detail {

// clang-format off
/// to = a + b from the first number on; returns how many are left, from the first one that takes more than this.
[[gnu::naked, gnu::noinline]] inline std::size_t add_normal_rows(const float* /*a*/, const float* /*b*/,
                                                                 std::size_t /*count*/, float* /*to*/) noexcept {
  // r4 has the greater magnitude, r6 its exponent, r7 what the other is below it, r10 the sign bit. Mantissas r8 and r12
  // begin at bit 30; the lowest bit of the lesser is set if one that is lost was.
  asm("push {r4-r10, lr}\n"
      "mov r10, #0x80000000\n"
      "1:\n"
      "ldr r4, [r0], #4\n"
      "ldr r5, [r1], #4\n"
      "lsl r6, r4, #1\n"
      "cmp r6, r5, lsl #1\n"
      "bhs 2f\n"
      "mov r6, r4\n"
      "mov r4, r5\n"
      "mov r5, r6\n"
      "2:\n"
      "ubfx r6, r4, #23, #8\n"
      "ubfx r7, r5, #23, #8\n"
      "cmp r6, #255\n"
      "beq 9f\n"
      "cmp r7, #0\n"
      "beq 9f\n"
      "sub r7, r6, r7\n"
      "cmp r7, #25\n"
      "bhi 4f\n"                     // less than half of the last place
      "orr r8, r10, r4, lsl #8\n"
      "orr r9, r10, r5, lsl #8\n"
      "lsr r8, r8, #1\n"
      "lsr r9, r9, #1\n"
      "lsr r12, r9, r7\n"
      "lsl lr, r12, r7\n"
      "cmp lr, r9\n"
      "it ne\n"
      "orrne r12, r12, #1\n"
      "teq r4, r5\n"
      "bmi 5f\n"
      "adds r8, r8, r12\n"
      "bmi 6f\n"
      "sub r6, r6, #1\n"
      "3:\n"
      "cmp r6, #254\n"
      "bhs 9f\n"
      "ubfx r12, r8, #7, #1\n"
      "add r8, r8, #63\n"
      "add r8, r8, r12\n"
      "lsr r8, r8, #7\n"
      "add r8, r8, r6, lsl #23\n"
      "bfi r4, r8, #0, #31\n"
      "4:\n"
      "str r4, [r3], #4\n"
      "subs r2, r2, #1\n"
      "bne 1b\n"
      "9:\n"
      "mov r0, r2\n"
      "pop {r4-r10, pc}\n"
      "5:\n"
      "subs r8, r8, r12\n"
      "beq 7f\n"
      "clz r12, r8\n"
      "sub r6, r6, r12\n"            // by one less, and one
      "sub r12, r12, #1\n"
      "lsl r8, r8, r12\n"
      "b 3b\n"
      "6:\n"
      "and r12, r8, #1\n"
      "orr r8, r12, r8, lsr #1\n"
      "b 3b\n"
      "7:\n"
      "mov r4, #0\n"
      "b 4b\n");
}
// clang-format on

/// to = a + b, [count]; b has the same distance from number to number as the others, or, with a step of 0, one number.
template <std::ptrdiff_t step>
[[gnu::always_inline]] inline void add_rows(const float* a, const float* b, std::size_t count, float* to) noexcept {
  while (count != 0) {
    std::size_t left = count;
    if constexpr (step == 1) left = add_normal_rows(a, b, count, to);
    if (left == 0) return;
    const std::size_t done = count - left;
    to[done] = port::sum_here<port::integer_unit>(a[done], b[static_cast<std::ptrdiff_t>(done) * step]);
    a += done + 1;
    b += static_cast<std::ptrdiff_t>(done + 1) * step;
    to += done + 1;
    count = left - 1;
  }
}

}  // namespace heed::detail
#endif
