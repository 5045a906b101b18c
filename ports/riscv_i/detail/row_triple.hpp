// SPDX-License-Identifier: MIT
//
// Three rows of bytes at once: five instructions for three products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <soft_floats/detail/three_rows.hpp>

namespace heed::detail {

#define HEED_ONE_OUTPUT(load, place, first, second) \
  load " s7, " place                                \
       "(a0)\n"                                     \
       "mul s8, s7, s9\n"                           \
       "mul s7, s7, s10\n"                          \
       "add " first ", " first                      \
       ", s8\n"                                     \
       "add " second ", " second ", s7\n"

// s9, s10: the numbers of an input, a + 2^21 b and c + 2^10 b.
#define HEED_ONE_INPUT(load, input, p0, p1, p2, p3, p4, p5, p6, p7)                                \
  "lh s8, " input                                                                                  \
  "(a2)\n"                                                                                         \
  "lh s9, " input                                                                                  \
  "(a1)\n"                                                                                         \
  "lh s10, " input                                                                                 \
  "(a3)\n"                                                                                         \
  "slli s7, s8, 21\n"                                                                              \
  "slli s8, s8, 10\n"                                                                              \
  "add s9, s9, s7\n"                                                                               \
  "add s10, s10, s8\n" HEED_ONE_OUTPUT(load, p0, "a5", "s1") HEED_ONE_OUTPUT(load, p1, "a6", "s2") \
      HEED_ONE_OUTPUT(load, p2, "a7", "s3") HEED_ONE_OUTPUT(load, p3, "t0", "s4")                  \
          HEED_ONE_OUTPUT(load, p4, "t1", "s5") HEED_ONE_OUTPUT(load, p5, "t2", "s6")              \
              HEED_ONE_OUTPUT(load, p6, "t3", "t4") HEED_ONE_OUTPUT(load, p7, "t5", "t6")

// Where weights have a bias, what it comes to is added up as well, over 128.
#define HEED_BIASED    \
  "add s11, s11, s9\n" \
  "add s0, s0, s10\n"

#define HEED_STORE(first, second, at, second_at) \
  "sub " first ", " first                        \
  ", s11\n"                                      \
  "sub " second ", " second                      \
  ", s0\n"                                       \
  "sw " first ", " at                            \
  "(a0)\n"                                       \
  "sw " second ", " second_at "(a0)\n"

/// Of eight outputs.
[[gnu::naked, gnu::noinline]] inline void eight_sums_of_three_rows(const std::byte*, const std::byte*, std::size_t,
                                                                   std::uint32_t, ThreeSums*) noexcept {
  asm("addi sp, sp, -64\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw s2, 8(sp)\n"
      "sw s3, 12(sp)\n"
      "sw s4, 16(sp)\n"
      "sw s5, 20(sp)\n"
      "sw s6, 24(sp)\n"
      "sw s7, 28(sp)\n"
      "sw s8, 32(sp)\n"
      "sw s9, 36(sp)\n"
      "sw s10, 40(sp)\n"
      "sw s11, 44(sp)\n"
      "sw a4, 48(sp)\n"
      "slli a4, a3, 1\n"
      "add a4, a4, a1\n"
      "mv t0, a2\n"
      "add a2, a1, t0\n"
      "add a3, a2, t0\n"
      "li s11, 0\n"
      "li s0, 0\n"
      "li a5, 0\n"
      "li a6, 0\n"
      "li a7, 0\n"
      "li t0, 0\n"
      "li t1, 0\n"
      "li t2, 0\n"
      "li t3, 0\n"
      "li t4, 0\n"
      "li t5, 0\n"
      "li t6, 0\n"
      "li s1, 0\n"
      "li s2, 0\n"
      "li s3, 0\n"
      "li s4, 0\n"
      "li s5, 0\n"
      "li s6, 0\n"
      "1:\n"
      HEED_ONE_INPUT("lbu", "0", "0", "4", "8", "12", "16", "20", "24", "28") HEED_BIASED
      HEED_ONE_INPUT("lb", "2", "1", "5", "9", "13", "17", "21", "25", "29")
      HEED_ONE_INPUT("lbu", "4", "2", "6", "10", "14", "18", "22", "26", "30") HEED_BIASED
      HEED_ONE_INPUT("lb", "6", "3", "7", "11", "15", "19", "23", "27", "31")
      "addi a0, a0, 64\n"
      "addi a1, a1, 8\n"
      "addi a2, a2, 8\n"
      "addi a3, a3, 8\n"
      "bne a1, a4, 1b\n"
      "slli s11, s11, 7\n"
      "slli s0, s0, 7\n"
      "lw a0, 48(sp)\n"
      HEED_STORE("a5", "s1", "0", "4")
      HEED_STORE("a6", "s2", "8", "12")
      HEED_STORE("a7", "s3", "16", "20")
      HEED_STORE("t0", "s4", "24", "28")
      HEED_STORE("t1", "s5", "32", "36")
      HEED_STORE("t2", "s6", "40", "44")
      HEED_STORE("t3", "t4", "48", "52")
      HEED_STORE("t5", "t6", "56", "60")
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "lw s2, 8(sp)\n"
      "lw s3, 12(sp)\n"
      "lw s4, 16(sp)\n"
      "lw s5, 20(sp)\n"
      "lw s6, 24(sp)\n"
      "lw s7, 28(sp)\n"
      "lw s8, 32(sp)\n"
      "lw s9, 36(sp)\n"
      "lw s10, 40(sp)\n"
      "lw s11, 44(sp)\n"
      "addi sp, sp, 64\n"
      "ret\n");
}
#undef HEED_STORE
#undef HEED_BIASED
#undef HEED_ONE_INPUT
#undef HEED_ONE_OUTPUT

}  // namespace heed::detail
