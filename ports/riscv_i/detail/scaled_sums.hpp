// SPDX-License-Identifier: MIT
//
// Sums of integers times scales, for sixteen outputs, straight ahead: 37 instructions for each, where a compiler takes
// 51. What the first 32 bits of a product are not enough to round by, and what is not normal, is left out.
#pragma once

#include <cstdint>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// A row's scale, as its range and its mantissa at the top.
struct ScaleOfSums {
  std::uint32_t least;  ///< the bits of the least scale
  std::uint32_t count;  ///< of bits from there on
  std::uint32_t mantissa;
  std::int32_t exponent;      ///< what the result's of a sum of 16 bits is above a scale's
  const std::uint8_t* zeros;  ///< zeros_of_byte
};

[[nodiscard, gnu::always_inline]] inline ScaleOfSums scale_of_sums(const port::RowScale& row) noexcept {
  return {row.least, row.count, row.mantissa, row.exponent - 111, port::zeros_of_byte.data()};
}

// t0 is the sign bit, t2 2^24, a2 2^16; t4 a scale, then the factor; t5 the sum and then its magnitude,
// s0 that at the top; t6 the exponent, of nine bits with the sign.
#define HEED_ONE_SUM(at, back, next, great, small, left_out) \
  "lw t4, " at                                               \
  "(a1)\n"                                                   \
  "lw t5, " at                                               \
  "(a0)\n"                                                   \
  "sub s1, t4, a4\n"                                         \
  "bgeu s1, a5, " left_out                                   \
  "f\n"                                                      \
  "srli t6, t4, 23\n"                                        \
  "add t6, t6, a7\n"                                         \
  "slli t4, t4, 8\n"                                         \
  "or t4, t4, t0\n"                                          \
  "mulhu t4, t4, a6\n"                                       \
  "bltz t4, 6f\n"                                            \
  "slli t4, t4, 1\n"                                         \
  "addi t6, t6, -1\n"                                        \
  "6:\n"                                                     \
  "addi t4, t4, 128\n"                                       \
  "slli s1, t4, 24\n"                                        \
  "beqz s1, " left_out                                       \
  "f\n"                                                      \
  "andi t4, t4, -256\n"                                      \
  "bgez t5, 6f\n"                                            \
  "neg t5, t5\n"                                             \
  "addi t6, t6, 256\n"                                       \
  "6:\n"                                                     \
  "bgeu t5, a2, " great                                      \
  "f\n"                                                      \
  "slli s0, t5, 16\n"                                        \
  "bltu s0, t2, " small "f\n" back                           \
  ":\n"                                                      \
  "srli s1, s0, 24\n"                                        \
  "add s1, s1, t1\n"                                         \
  "lbu s1, 0(s1)\n"                                          \
  "sll s0, s0, s1\n"                                         \
  "sub t6, t6, s1\n"                                         \
  "mulhu s0, s0, t4\n"                                       \
  "bltz s0, 6f\n"                                            \
  "slli s0, s0, 1\n"                                         \
  "addi t6, t6, -1\n"                                        \
  "6:\n"                                                     \
  "addi s0, s0, 128\n"                                       \
  "bgez s0, " left_out                                       \
  "f\n"                                                      \
  "slli s1, s0, 24\n"                                        \
  "beqz s1, " left_out                                       \
  "f\n"                                                      \
  "srli s0, s0, 8\n"                                         \
  "slli t6, t6, 23\n"                                        \
  "add s0, s0, t6\n"                                         \
  "sw s0, " at "(a3)\n" next ":\n"
// Magnitudes from 2^16 on, those below 2^8, and a sum that is left out.
#define HEED_OTHER_SUM(at, back, next, great, small, left_out) \
  great                                                        \
      ":\n"                                                    \
      "bgeu t5, t2, " left_out                                 \
      "f\n"                                                    \
      "slli s0, t5, 8\n"                                       \
      "addi t6, t6, 8\n"                                       \
      "j " back "b\n" small                                    \
      ":\n"                                                    \
      "slli s0, s0, 8\n"                                       \
      "addi t6, t6, -8\n"                                      \
      "bnez s0, " back                                         \
      "b\n"                                                    \
      "sw zero, " at                                           \
      "(a3)\n"                                                 \
      "j " next "b\n" left_out                                 \
      ":\n"                                                    \
      "li t4, " at                                             \
      "\n"                                                     \
      "jal s1, 9f\n"                                           \
      "j " next "b\n"

/// y [16] = sums * scales * row, where -0 is `zero`; returns a word whose bit 16 - i says that output i was left out.
[[gnu::naked, gnu::noinline]] inline std::uint32_t scaled_sums(const std::int32_t*, const float*, const ScaleOfSums*,
                                                               float*, float) noexcept {
  asm("addi sp, sp, -16\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw zero, 8(sp)\n"
      "sw a4, 12(sp)\n"
      "lw a4, 0(a2)\n"
      "lw a5, 4(a2)\n"
      "lw a6, 8(a2)\n"
      "lw a7, 12(a2)\n"
      "lw t1, 16(a2)\n"
      "lui t0, 0x80000\n"
      "lui t2, 0x1000\n"
      "lui a2, 0x10\n"
      "addi t3, a3, 64\n"
      "1:\n"  //
      HEED_ONE_SUM("0", "10", "11", "12", "13", "14")
      HEED_ONE_SUM("4", "20", "21", "22", "23", "24")
      HEED_ONE_SUM("8", "30", "31", "32", "33", "34")
      HEED_ONE_SUM("12", "40", "41", "42", "43", "44")
      "addi a0, a0, 16\n"
      "addi a1, a1, 16\n"
      "addi a3, a3, 16\n"
      "bne a3, t3, 1b\n"
      "lw a0, 8(sp)\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "addi sp, sp, 16\n"
      "ret\n"  //
      HEED_OTHER_SUM("0", "10", "11", "12", "13", "14")
      HEED_OTHER_SUM("4", "20", "21", "22", "23", "24")
      HEED_OTHER_SUM("8", "30", "31", "32", "33", "34")
      HEED_OTHER_SUM("12", "40", "41", "42", "43", "44")
      // Most often a key that is not there yet: its scale is 0.
      "9:\n"
      "add t5, a1, t4\n"
      "lw t5, 0(t5)\n"
      "bnez t5, 7f\n"
      "beqz a5, 7f\n"
      "add t5, a0, t4\n"
      "lw t5, 0(t5)\n"
      "lw t6, 12(sp)\n"
      "and t5, t5, t6\n"
      "add t4, a3, t4\n"
      "sw t5, 0(t4)\n"
      "jr s1\n"
      // How many outputs are left, this one among them, is its bit.
      "7:\n"
      "add t4, t4, a3\n"
      "sub t4, t3, t4\n"
      "srli t4, t4, 2\n"
      "li t5, 1\n"
      "sll t5, t5, t4\n"
      "lw t4, 8(sp)\n"
      "or t4, t4, t5\n"
      "sw t4, 8(sp)\n"
      "jr s1\n");
}
#undef HEED_OTHER_SUM
#undef HEED_ONE_SUM

}  // namespace heed::detail
