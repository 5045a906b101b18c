// SPDX-License-Identifier: MIT
//
// x times its share in integers times a factor, one after the other, as long as the first bits of all steps decide
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/zeros_of_byte.hpp>

namespace heed::detail {

/// Numbers up to `end`, and the distance of their factors in bytes: 4, or 0 where all of them are 1.
struct ActivatedRow {
  const float* end;
  std::uint32_t factor_step;
  const std::uint8_t* zeros = port::zeros_of_byte.data();
};

// t4, from a magnitude in units of 2^-8 and of 2^-9, is d, as integer_sigmoid() and integer_gaussian() have it.
#define HEED_SIGMOID   \
  "mul t4, t4, s3\n"   \
  "addi t4, t4, 512\n" \
  "srli t4, t4, 10\n"
#define HEED_GAUSSIAN  \
  "mul t5, t4, t4\n"   \
  "addi t5, t5, 512\n" \
  "srli t5, t5, 10\n"  \
  "mul t5, t5, s3\n"   \
  "add t5, t5, s11\n"  \
  "srli t5, t5, 12\n"  \
  "mul t4, t4, t5\n"   \
  "addi t4, t4, 512\n" \
  "srli t4, t4, 10\n"
// a5: the sign bit; a6: zeros_of_byte; t0: x; t1: exponents; t2: its mantissa at the top.
#define HEED_ACTIVATED_ROW(places, most, d, multiplier, addend)                                      \
  "addi sp, sp, -48\n"                                                                               \
  "sw s0, 0(sp)\n"                                                                                   \
  "sw s1, 4(sp)\n"                                                                                   \
  "sw s2, 8(sp)\n"                                                                                   \
  "sw s3, 12(sp)\n"                                                                                  \
  "sw s4, 16(sp)\n"                                                                                  \
  "sw s5, 20(sp)\n"                                                                                  \
  "sw s6, 24(sp)\n"                                                                                  \
  "sw s7, 28(sp)\n"                                                                                  \
  "sw s8, 32(sp)\n"                                                                                  \
  "sw s9, 36(sp)\n"                                                                                  \
  "sw s10, 40(sp)\n"                                                                                 \
  "sw s11, 44(sp)\n"                                                                                 \
  "lw a4, 4(a3)\n"                                                                                   \
  "lw a6, 8(a3)\n"                                                                                   \
  "lw a3, 0(a3)\n"                                                                                   \
  "lui a5, 0x80000\n"                                                                                \
  "li a7, " places                                                                                   \
  "\n"                                                                                               \
  "li s0, 20\n"                                                                                      \
  "li s1, " most                                                                                     \
  "\n"                                                                                               \
  "li s2, 253\n"                                                                                     \
  "li s3, " multiplier                                                                               \
  "\n"                                                                                               \
  "li s4, 11\n"                                                                                      \
  "li s5, 11008\n"                                                                                   \
  "lui s6, 0x400\n"                                                                                  \
  "lui s7, 4\n"                                                                                      \
  "li s8, 134218640\n"                                                                               \
  "lui s9, 2\n"                                                                                      \
  "lui s10, 0x1000\n"                                                                                \
  "li s11, " addend                                                                                  \
  "\n"                                                                                               \
  "1:\n"                                                                                             \
  "lw t0, 0(a0)\n" /* The magnitude to nearest, at most `most`: undecided near the middle of two. */ \
  "slli t1, t0, 1\n"                                                                                 \
  "srli t1, t1, 24\n"                                                                                \
  "sub t3, a7, t1\n"                                                                                 \
  "addi t4, t3, -12\n"                                                                               \
  "bgeu t4, s0, 5f\n"                                                                                \
  "slli t2, t0, 8\n"                                                                                 \
  "or t2, t2, a5\n"                                                                                  \
  "srl t4, t2, t3\n"                                                                                 \
  "addi t4, t4, 128\n"                                                                               \
  "slli t5, t4, 24\n"                                                                                \
  "beqz t5, 9f\n"                                                                                    \
  "srli t4, t4, 8\n"                                                                                 \
  "bltu s1, t4, 6f\n"                                                                                \
  "2:\n" d                                                                                           \
  "andi t5, t4, 255\n" /* The divisor, as integer_exp2() and share_of() have it, and the share. */   \
  "srli t4, t4, 8\n"                                                                                 \
  "mul t6, t5, s4\n"                                                                                 \
  "sub t6, s5, t6\n"                                                                                 \
  "mul t6, t6, t5\n"                                                                                 \
  "sub t6, s6, t6\n"                                                                                 \
  "addi t4, t4, 8\n"                                                                                 \
  "srl t6, t6, t4\n"                                                                                 \
  "add t6, t6, s7\n"                                                                                 \
  "srli t5, t6, 1\n"                                                                                 \
  "add t5, t5, s8\n"                                                                                 \
  "divu t5, t5, t6\n"                                                                                \
  "bgez t0, 3f\n"                                                                                    \
  "sub t5, s9, t5\n"                                                                                 \
  "3:\n"                                                                                             \
  "slli t5, t5, 18\n"                                                                                \
  "bltu t5, s10, 9f\n"                                                                               \
  "srli t3, t5, 24\n" /* The share times x, and that times the factor. */                            \
  "add t3, t3, a6\n"                                                                                 \
  "lbu t3, 0(t3)\n"                                                                                  \
  "sll t5, t5, t3\n"                                                                                 \
  "sub t1, t1, t3\n"                                                                                 \
  "mulhu t5, t5, t2\n"                                                                               \
  "bltz t5, 4f\n"                                                                                    \
  "slli t5, t5, 1\n"                                                                                 \
  "addi t1, t1, -1\n"                                                                                \
  "4:\n"                                                                                             \
  "addi t5, t5, 128\n"                                                                               \
  "slli t3, t5, 24\n"                                                                                \
  "beqz t3, 9f\n"                                                                                    \
  "andi t5, t5, -256\n"                                                                              \
  "beqz a4, 7f\n"                                                                                    \
  "lw t6, 0(a1)\n"                                                                                   \
  "slli t3, t6, 1\n"                                                                                 \
  "srli t3, t3, 24\n"                                                                                \
  "addi t4, t3, -1\n"                                                                                \
  "bgeu t4, s2, 9f\n"                                                                                \
  "add t1, t1, t3\n"                                                                                 \
  "slli t3, t6, 8\n"                                                                                 \
  "or t3, t3, a5\n"                                                                                  \
  "mulhu t5, t5, t3\n"                                                                               \
  "bltz t5, 4f\n"                                                                                    \
  "slli t5, t5, 1\n"                                                                                 \
  "addi t1, t1, -1\n"                                                                                \
  "4:\n"                                                                                             \
  "addi t5, t5, 128\n"                                                                               \
  "slli t3, t5, 24\n"                                                                                \
  "beqz t3, 9f\n"                                                                                    \
  "xor t0, t0, t6\n"                                                                                 \
  "8:\n"                                                                                             \
  "bgez t5, 9f\n"                                                                                    \
  "addi t1, t1, -126\n"                                                                              \
  "bgeu t1, s2, 9f\n"                                                                                \
  "srli t5, t5, 8\n"                                                                                 \
  "slli t1, t1, 23\n"                                                                                \
  "add t5, t5, t1\n"                                                                                 \
  "and t0, t0, a5\n"                                                                                 \
  "or t5, t5, t0\n"                                                                                  \
  "sw t5, 0(a2)\n"                                                                                   \
  "addi a0, a0, 4\n"                                                                                 \
  "add a1, a1, a4\n"                                                                                 \
  "addi a2, a2, 4\n"                                                                                 \
  "bne a0, a3, 1b\n"                                                                                 \
  "9:\n"                                                                                             \
  "lw s0, 0(sp)\n"                                                                                   \
  "lw s1, 4(sp)\n"                                                                                   \
  "lw s2, 8(sp)\n"                                                                                   \
  "lw s3, 12(sp)\n"                                                                                  \
  "lw s4, 16(sp)\n"                                                                                  \
  "lw s5, 20(sp)\n"                                                                                  \
  "lw s6, 24(sp)\n"                                                                                  \
  "lw s7, 28(sp)\n"                                                                                  \
  "lw s8, 32(sp)\n"                                                                                  \
  "lw s9, 36(sp)\n"                                                                                  \
  "lw s10, 40(sp)\n"                                                                                 \
  "lw s11, 44(sp)\n"                                                                                 \
  "addi sp, sp, 48\n"                                                                                \
  "ret\n"                                                                                            \
  "5:\n" /* Magnitudes from 16, or 8, on, and those that are none. */                                \
  "slli t2, t0, 8\n"                                                                                 \
  "or t2, t2, a5\n"                                                                                  \
  "bgez t4, 4f\n"                                                                                    \
  "li t5, 255\n"                                                                                     \
  "beq t1, t5, 9b\n"                                                                                 \
  "6:\n"                                                                                             \
  "mv t4, s1\n"                                                                                      \
  "j 2b\n"                                                                                           \
  "4:\n"                                                                                             \
  "addi t5, t1, -14\n"                                                                               \
  "li t4, 0\n"                                                                                       \
  "bgez t5, 2b\n"                                                                                    \
  "j 9b\n"                                                                                           \
  "7:\n"                                                                                             \
  "addi t1, t1, 126\n"                                                                               \
  "j 8b\n"

/// (numbers, factors, to, row): writes to until it is at the end of the row, or at a number whose result they do not
/// decide; returns where that is.
[[gnu::naked, gnu::noinline]] inline const float* silu_numbers(const float*, const float*, float*,
                                                               const ActivatedRow*) noexcept {
  asm(HEED_ACTIVATED_ROW("142", "2839", HEED_SIGMOID, "1477", "0"));
}
[[gnu::naked, gnu::noinline]] inline const float* gelu_numbers(const float*, const float*, float*,
                                                               const ActivatedRow*) noexcept {
  asm(HEED_ACTIVATED_ROW("141", "2047", HEED_GAUSSIAN, "843", "4830129"));
}
#undef HEED_ACTIVATED_ROW
#undef HEED_GAUSSIAN
#undef HEED_SIGMOID

}  // namespace heed::detail
