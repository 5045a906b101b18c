// SPDX-License-Identifier: MIT
//
// Sums of floats, one after the other, as long as their first bits decide them: 35 instructions for two of one sign, 41
// for others, where a compiler takes 46 and 54.
#pragma once

#include <cstddef>
#include <cstdint>
#include <single_operations.hpp>
#include <soft_floats/zeros_of_byte.hpp>

namespace heed::detail {

/// Sums of numbers at a and at b; returns the first one of a that is left, or `end`: (a, end, b, sums, zeros_of_byte,
/// bytes from one b to the next).
[[gnu::naked, gnu::noinline]] inline const float* sums_of_numbers(const float*, const float*, const float*, float*,
                                                                  const std::uint8_t*, std::ptrdiff_t) noexcept {
  asm("addi sp, sp, -16\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw s2, 8(sp)\n"
      "lui a6, 0xC0000\n"
      "addi a6, a6, 64\n"
      "li a7, 227\n"
      "lui t6, 0x40000\n"
      "li s0, 25\n"
      "li s1, 64\n"
      "lui s2, 0x800\n"
      "1:\n"
      "lw t0, 0(a0)\n"
      "lw t1, 0(a2)\n"
      "slli t2, t0, 1\n"
      "slli t3, t1, 1\n"
      "bltu t2, t3, 5f\n"
      "2:\n"
      // t0 has the greater magnitude, and is the sum where the other one is below half of its last place.
      "srli t4, t2, 24\n"
      "srli t5, t3, 24\n"
      "sub t5, t4, t5\n"
      "addi t3, t4, -27\n"
      "bgeu t3, a7, 9f\n"
      "bltu s0, t5, 4f\n"
      "slli t2, t0, 8\n"
      "srli t2, t2, 1\n"
      "or t2, t2, t6\n"
      "slli t3, t1, 8\n"
      "srli t3, t3, 1\n"
      "or t3, t3, t6\n"
      "srl t3, t3, t5\n"
      "xor t1, t1, t0\n"
      "bltz t1, 7f\n"
      "add t2, t2, t3\n"
      "bltz t2, 8f\n"
      "3:\n"
      // Rounded by seven bits, unless half way by these but the last of them.
      "andi t3, t2, 0x7E\n"
      "beq t3, s1, 6f\n"
      "10:\n"
      "add t2, t2, a6\n"
      "srli t2, t2, 7\n"
      "slli t4, t4, 23\n"
      "add t2, t2, t4\n"
      "srli t0, t0, 31\n"
      "slli t0, t0, 31\n"
      "or t0, t0, t2\n"
      "4:\n"
      "sw t0, 0(a3)\n"
      "addi a0, a0, 4\n"
      "add a2, a2, a5\n"
      "addi a3, a3, 4\n"
      "bne a0, a1, 1b\n"
      "9:\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "lw s2, 8(sp)\n"
      "addi sp, sp, 16\n"
      "ret\n"
      // Where nothing is lost, half way is to the even one.
      "6:\n"
      "sltiu t3, t5, 7\n"
      "beqz t3, 9b\n"
      "srli t3, t2, 7\n"
      "andi t3, t3, 1\n"
      "add t2, t2, t3\n"
      "addi t2, t2, -1\n"
      "j 10b\n"
      "5:\n"
      "mv t4, t0\n"
      "mv t0, t1\n"
      "mv t1, t4\n"
      "slli t2, t0, 1\n"
      "slli t3, t1, 1\n"
      "j 2b\n"
      "7:\n"
      "sub t2, t2, t3\n"
      "bltu t2, s2, 9b\n"
      "srli t3, t2, 23\n"
      "add t3, t3, a4\n"
      "lbu t3, 0(t3)\n"
      "sll t2, t2, t3\n"
      "sub t4, t4, t3\n"
      "j 3b\n"
      "8:\n"
      "srli t2, t2, 1\n"
      "addi t4, t4, 1\n"
      "j 3b\n");
}

[[gnu::noinline]] inline void add_numbers(const float* a, const float* b, std::size_t count, std::ptrdiff_t step,
                                          float* to) noexcept {
  for (const float* const end = a + count; a != end; ++a, b += step, ++to) {
    const float* const first = a;
    a = sums_of_numbers(a, end, b, to, port::zeros_of_byte.data(), step * static_cast<std::ptrdiff_t>(sizeof(float)));
    b += (a - first) * step;
    to += a - first;
    if (a == end) break;
    *to = port::sum(*a, *b);
  }
}

/// to = a + b, [count]; b has the same distance from number to number as the others, or, with a step of 0, one number.
template <std::ptrdiff_t step>
[[gnu::always_inline]] inline void add_rows(const float* a, const float* b, std::size_t count, float* to) noexcept {
  add_numbers(a, b, count, step, to);
}

}  // namespace heed::detail
