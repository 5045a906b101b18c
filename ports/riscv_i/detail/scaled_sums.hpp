// SPDX-License-Identifier: MIT
//
// Sums of integers times scales, for sixteen outputs, straight ahead: 45 instructions for each, where a compiler takes
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
  std::int32_t exponent;      ///< what a result's is above a scale's
  const std::uint8_t* zeros;  ///< zeros_of_byte
};

[[nodiscard, gnu::always_inline]] inline ScaleOfSums scale_of_sums(const port::RowScale& row) noexcept {
  return {row.least, row.count, row.mantissa, row.exponent - 103, port::zeros_of_byte.data()};
}

// t0 is the sign bit, t2 2^24; t4 a scale, then the factor; t5 the sum, s0 its magnitude; t6 the exponent.
#define HEED_ONE_SUM(at, left_out) \
  "lw t4, " at                     \
  "(a1)\n"                         \
  "lw t5, " at                     \
  "(a0)\n"                         \
  "sub s1, t4, a4\n"               \
  "bgeu s1, a5, " left_out         \
  "\n"                             \
  "srli t6, t4, 23\n"              \
  "add t6, t6, a7\n"               \
  "slli t4, t4, 8\n"               \
  "or t4, t4, t0\n"                \
  "mulhu t4, t4, a6\n"             \
  "bltz t4, 4f\n"                  \
  "slli t4, t4, 1\n"               \
  "addi t6, t6, -1\n"              \
  "4:\n"                           \
  "addi t4, t4, 128\n"             \
  "slli s1, t4, 24\n"              \
  "beqz s1, " left_out             \
  "\n"                             \
  "bgez t4, " left_out             \
  "\n"                             \
  "andi t4, t4, -256\n"            \
  "srai s1, t5, 31\n"              \
  "xor s0, t5, s1\n"               \
  "sub s0, s0, s1\n"               \
  "bgeu s0, t2, " left_out         \
  "\n"                             \
  "slli s0, s0, 8\n"               \
  "bgeu s0, t2, 4f\n"              \
  "slli s0, s0, 8\n"               \
  "addi t6, t6, -8\n"              \
  "bgeu s0, t2, 4f\n"              \
  "slli s0, s0, 8\n"               \
  "addi t6, t6, -8\n"              \
  "4:\n"                           \
  "srli s1, s0, 24\n"              \
  "add s1, s1, t1\n"               \
  "lbu s1, 0(s1)\n"                \
  "sll s0, s0, s1\n"               \
  "sub t6, t6, s1\n"               \
  "mulhu s0, s0, t4\n"             \
  "bltz s0, 4f\n"                  \
  "slli s0, s0, 1\n"               \
  "addi t6, t6, -1\n"              \
  "bgez s0, " left_out             \
  "\n"                             \
  "4:\n"                           \
  "slli s1, s0, 24\n"              \
  "beq s1, t0, " left_out          \
  "\n"                             \
  "srli s0, s0, 7\n"               \
  "addi s0, s0, 1\n"               \
  "srli s0, s0, 1\n"               \
  "slli t6, t6, 23\n"              \
  "add s0, s0, t6\n"               \
  "and t5, t5, t0\n"               \
  "or s0, s0, t5\n"                \
  "sw s0, " at "(a3)\n"
// How many outputs are left, this one among them, is its bit.
#define HEED_LEFT_OUT(at, next) \
  "addi t4, a3, " at            \
  "\n"                          \
  "sub t4, t3, t4\n"            \
  "srli t4, t4, 2\n"            \
  "li t5, 1\n"                  \
  "sll t5, t5, t4\n"            \
  "or a2, a2, t5\n"             \
  "j " next "\n"

/// y [16] = sums * scales * row; returns a word whose bit 16 - i says that output i was left out.
[[gnu::naked, gnu::noinline]] inline std::uint32_t scaled_sums(const std::int32_t*, const float*, const ScaleOfSums*,
                                                               float*) noexcept {
  asm("addi sp, sp, -16\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "lw a4, 0(a2)\n"
      "lw a5, 4(a2)\n"
      "lw a6, 8(a2)\n"
      "lw a7, 12(a2)\n"
      "lw t1, 16(a2)\n"
      "li a2, 0\n"
      "lui t0, 0x80000\n"
      "lui t2, 0x1000\n"
      "addi t3, a3, 64\n"
      "1:\n" HEED_ONE_SUM("0", "7f") "2:\n" HEED_ONE_SUM("4", "8f") "3:\n"
      "addi a0, a0, 8\n"
      "addi a1, a1, 8\n"
      "addi a3, a3, 8\n"
      "bne a3, t3, 1b\n"
      "mv a0, a2\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "addi sp, sp, 16\n"
      "ret\n"
      "7:\n" HEED_LEFT_OUT("0", "2b")
      "8:\n" HEED_LEFT_OUT("4", "3b"));
}
#undef HEED_LEFT_OUT
#undef HEED_ONE_SUM

}  // namespace heed::detail
