// SPDX-License-Identifier: MIT
//
// Two weights of 4 bits in one multiplication: (v + 2^16 w) (y + 2^16 x) has v x + w y above 16 bits. Sums of 32 inputs
// have 15 bits and a sign there once the weights' bias is taken off, and below 16 bits as well, so that neither touches
// the other: fifteen instructions for a word of eight weights.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

// a4: the nibbles of a word of which one is 2^16 from the other; s8..s11: what they are multiplied by.
#define HEED_ONE_WORD(at, sum)                                                                    \
  "lw t5, " at                                                                                    \
  "(a0)\n"                                                                                        \
  "mul t6, t5, s8\n"                                                                              \
  "add " sum ", " sum ", t6\n" HEED_TWO_NIBBLES("4", "s9", sum) HEED_TWO_NIBBLES("8", "s10", sum) \
      HEED_TWO_NIBBLES("12", "s11", sum)
#define HEED_TWO_NIBBLES(at, numbers, sum) \
  "srli t6, t5, " at                       \
  "\n"                                     \
  "and t6, t6, a4\n"                       \
  "mul t6, t6, " numbers                   \
  "\n"                                     \
  "add " sum ", " sum ", t6\n"

// What the sum of 32 inputs adds to an output.
#define HEED_ONE_OUTPUT(at, sum, total) \
  "lb t5, " at                          \
  "(a3)\n"                              \
  "srai t6, " sum                       \
  ", 16\n"                              \
  "mul t6, t6, t5\n"                    \
  "add " total ", " total ", t6\n"

/// to [16] of a row that is joined, or its first eight where no more are wanted: (weights, run, multipliers, words of
/// eight inputs, to, outputs wanted).
[[gnu::naked, gnu::noinline]] inline void sums_of_groups(const std::byte*, const std::byte*, const std::int8_t*,
                                                         std::uint32_t, std::int32_t*, std::uint32_t) noexcept {
  asm("addi sp, sp, -80\n"
      "sw ra, 0(sp)\n"
      "sw s0, 4(sp)\n"
      "sw s1, 8(sp)\n"
      "sw s2, 12(sp)\n"
      "sw s3, 16(sp)\n"
      "sw s4, 20(sp)\n"
      "sw s5, 24(sp)\n"
      "sw s6, 28(sp)\n"
      "sw s7, 32(sp)\n"
      "sw s8, 36(sp)\n"
      "sw s9, 40(sp)\n"
      "sw s10, 44(sp)\n"
      "sw s11, 48(sp)\n"
      "sw a0, 52(sp)\n"
      "sw a1, 56(sp)\n"
      "sw a2, 60(sp)\n"
      "sw a3, 64(sp)\n"
      "sw a4, 68(sp)\n"
      "sw a5, 72(sp)\n"
      "lui a4, 0xF0\n"
      "addi a4, a4, 15\n"
      // Eight outputs.
      "3:\n"
      "mv ra, a3\n"
      "mv a3, a2\n"
      "li s0, 0\n"
      "li s1, 0\n"
      "li s2, 0\n"
      "li s3, 0\n"
      "li s4, 0\n"
      "li s5, 0\n"
      "li s6, 0\n"
      "li s7, 0\n"
      "1:\n"
      "lw a5, 0(a1)\n"
      "addi a1, a1, 4\n"
      "mv a6, a5\n"
      "mv a7, a5\n"
      "mv t0, a5\n"
      "mv t1, a5\n"
      "mv t2, a5\n"
      "mv t3, a5\n"
      "mv t4, a5\n"
      // The last group may have fewer than four words.
      "addi a2, a1, 64\n"
      "addi ra, ra, -4\n"
      "bgez ra, 2f\n"
      "slli t5, ra, 4\n"
      "add a2, a2, t5\n"
      "2:\n"
      "lw s8, 0(a1)\n"
      "lw s9, 4(a1)\n"
      "lw s10, 8(a1)\n"
      "lw s11, 12(a1)\n"  //
      HEED_ONE_WORD("0", "a5")
      HEED_ONE_WORD("4", "a6")
      HEED_ONE_WORD("8", "a7")
      HEED_ONE_WORD("12", "t0")
      HEED_ONE_WORD("16", "t1")
      HEED_ONE_WORD("20", "t2")
      HEED_ONE_WORD("24", "t3")
      HEED_ONE_WORD("28", "t4")
      "addi a0, a0, 64\n"
      "addi a1, a1, 16\n"
      "bne a1, a2, 2b\n"  //
      HEED_ONE_OUTPUT("0", "a5", "s0")
      HEED_ONE_OUTPUT("1", "a6", "s1")
      HEED_ONE_OUTPUT("2", "a7", "s2")
      HEED_ONE_OUTPUT("3", "t0", "s3")
      HEED_ONE_OUTPUT("4", "t1", "s4")
      HEED_ONE_OUTPUT("5", "t2", "s5")
      HEED_ONE_OUTPUT("6", "t3", "s6")
      HEED_ONE_OUTPUT("7", "t4", "s7")
      "addi a3, a3, 16\n"
      "bgtz ra, 1b\n"
      "lw a5, 68(sp)\n"
      "sw s0, 0(a5)\n"
      "sw s1, 4(a5)\n"
      "sw s2, 8(a5)\n"
      "sw s3, 12(a5)\n"
      "sw s4, 16(a5)\n"
      "sw s5, 20(a5)\n"
      "sw s6, 24(a5)\n"
      "sw s7, 28(a5)\n"
      "lw a6, 72(sp)\n"
      "addi a6, a6, -8\n"
      "blez a6, 4f\n"
      "addi a5, a5, 32\n"
      "sw a5, 68(sp)\n"
      "sw a6, 72(sp)\n"
      "lw a0, 52(sp)\n"
      "lw a1, 56(sp)\n"
      "lw a2, 60(sp)\n"
      "lw a3, 64(sp)\n"
      "addi a0, a0, 32\n"
      "addi a2, a2, 8\n"
      "j 3b\n"
      "4:\n"
      "lw ra, 0(sp)\n"
      "lw s0, 4(sp)\n"
      "lw s1, 8(sp)\n"
      "lw s2, 12(sp)\n"
      "lw s3, 16(sp)\n"
      "lw s4, 20(sp)\n"
      "lw s5, 24(sp)\n"
      "lw s6, 28(sp)\n"
      "lw s7, 32(sp)\n"
      "lw s8, 36(sp)\n"
      "lw s9, 40(sp)\n"
      "lw s10, 44(sp)\n"
      "lw s11, 48(sp)\n"
      "addi sp, sp, 80\n"
      "ret\n");
}
#undef HEED_ONE_OUTPUT
#undef HEED_TWO_NIBBLES
#undef HEED_ONE_WORD

}  // namespace heed::detail
