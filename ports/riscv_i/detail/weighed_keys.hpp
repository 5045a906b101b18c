// SPDX-License-Identifier: MIT
//
// Scores that become weights times scales, one after the other, as long as their first bits decide them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/detail/keys_to_weigh.hpp>

namespace heed::detail {

/// Scores, more than none, become 2^(score - maximum) * scale; returns the first one that is left, or `end`: (scores,
/// from them to their scales in bytes, keys).
[[gnu::naked, gnu::noinline]] inline float* weigh_keys(float*, std::ptrdiff_t, WeighedKeys*) noexcept {
  asm("addi sp, sp, -32\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw s2, 8(sp)\n"
      "sw s3, 12(sp)\n"
      "sw s4, 16(sp)\n"
      "sw s5, 20(sp)\n"
      "lw a3, 0(a2)\n"
      "lw a4, 4(a2)\n"
      "lw a5, 8(a2)\n"
      "lw a6, 12(a2)\n"
      "lui t1, 0x1800\n"
      "sub a4, a4, t1\n"
      "lui a7, 0x80000\n"
      "li t0, 11008\n"
      "lui t1, 0x400\n"
      "li s0, 30\n"
      "lui s1, 0xFF700\n"
      "lui s2, 0x800\n"
      "li s3, 11\n"
      "li s4, 230\n"
      // The score in units of 2^-20, if it is below 2^10, without what is below one.
      "1:\n"
      "lw t2, 0(a0)\n"
      "slli t3, t2, 1\n"
      "srli t3, t3, 24\n"
      "addi t4, t3, -107\n"
      "bgeu t4, s0, 5f\n"
      "not t4, t4\n"
      "slli t3, t2, 8\n"
      "or t3, t3, a7\n"
      "srl t3, t3, t4\n"
      "2:\n"
      "srai t2, t2, 31\n"
      "xor t3, t3, t2\n"
      "sub t3, t3, t2\n"
      // How far it is below the maximum, less 24 octaves; undecided if within 4 units of the middle of two steps.
      "sub t3, a4, t3\n"
      "bge t3, s1, 8f\n"
      "slli t4, t3, 20\n"
      "add t4, t4, t1\n"
      "bltu t4, s2, 9f\n"
      // The weight, as integer_exp2() has it: t2, modulo 32, is 8 more than its octaves.
      "srai t2, t3, 20\n"
      "slli t3, t3, 12\n"
      "srli t3, t3, 24\n"
      "mul t4, t3, s3\n"
      "sub t4, t0, t4\n"
      "mul t4, t4, t3\n"
      "sub t4, t1, t4\n"
      "srl t4, t4, t2\n"
      // Times the scale, if that is normal, not negative and not too small for a product that is normal. The weight
      // lies at the top, or is 0 there: a power of two.
      "add t6, a0, a1\n"
      "lw t6, 0(t6)\n"
      "srli t3, t6, 23\n"
      "addi t3, t3, -25\n"
      "bgeu t3, s4, 9f\n"
      "sub t3, t3, t2\n"
      "sll t2, t4, t2\n"
      "slli t2, t2, 10\n"
      "slli t6, t6, 8\n"
      "or t6, t6, a7\n"
      "mulhu t5, t2, t6\n"
      "bltz t5, 4f\n"
      "slli t5, t5, 1\n"
      "addi t3, t3, -1\n"
      "4:\n"
      // Rounded, unless half way by these bits and not exact.
      "addi t5, t5, 128\n"
      "bgez t5, 7f\n"
      "slli s5, t5, 24\n"
      "beqz s5, 10f\n"
      "6:\n"
      "srli t5, t5, 8\n"
      "11:\n"
      "slli t3, t3, 23\n"
      "add t5, t5, t3\n"
      "add a5, a5, t4\n"
      "bgeu a6, t5, 3f\n"
      "mv a6, t5\n"
      "3:\n"
      "sw t5, 0(a0)\n"
      "addi a0, a0, 4\n"
      "bne a0, a3, 1b\n"
      "9:\n"
      "sw a5, 8(a2)\n"
      "sw a6, 12(a2)\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "lw s2, 8(sp)\n"
      "lw s3, 12(sp)\n"
      "lw s4, 16(sp)\n"
      "lw s5, 20(sp)\n"
      "addi sp, sp, 32\n"
      "ret\n"
      "8:\n"
      "sw zero, 0(a0)\n"
      "addi a0, a0, 4\n"
      "bne a0, a3, 1b\n"
      "j 9b\n"
      // Half way, to the even one: weights have few bits.
      "10:\n"
      "mul s5, t2, t6\n"
      "bnez s5, 9b\n"
      "srli t5, t5, 9\n"
      "slli t5, t5, 1\n"
      "j 11b\n"
      // Below 2^-20, or not below 2^10.
      "5:\n"
      "bgez t4, 9b\n"
      "li t3, 0\n"
      "j 2b\n"
      // No weight, or a power of two, or undecided.
      "7:\n"
      "beqz t4, 8b\n"
      "bnez t2, 9b\n"
      "addi t3, t3, 1\n"
      "mv t5, t6\n"
      "j 6b\n");
}

}  // namespace heed::detail
