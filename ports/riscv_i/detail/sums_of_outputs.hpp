// SPDX-License-Identifier: MIT
//
// A panel's sixteen outputs at a time: 3.14 instructions for a product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/detail/integer_run.hpp>
#include <riscv_f/detail/sums_of_bytes.hpp>

namespace heed::detail {

// a4: the number of an input.
#define HEED_ONE_OUTPUT(load, place, sum) \
  load " a5, " place                      \
       "(a0)\n"                           \
       "mul a5, a5, a4\n"                 \
       "add " sum ", " sum ", a5\n"

#define HEED_FOUR_OUTPUTS(load, p0, p1, p2, p3, s0, s1, s2, s3) \
  HEED_ONE_OUTPUT(load, p0, s0)                                 \
  HEED_ONE_OUTPUT(load, p1, s1) HEED_ONE_OUTPUT(load, p2, s2) HEED_ONE_OUTPUT(load, p3, s3)

/// As sums_of_bytes(): weights, run, words, sums.
[[gnu::naked, gnu::noinline]] inline void sums_of_panel(const std::byte*, const std::byte*, std::uint32_t,
                                                        std::int32_t*) noexcept {
  asm("addi sp, sp, -32\n"
      "sw s0, 0(sp)\n"
      "sw s1, 4(sp)\n"
      "sw s2, 8(sp)\n"
      "sw s3, 12(sp)\n"
      "sw s4, 16(sp)\n"
      "sw s5, 20(sp)\n"
      "sw s6, 24(sp)\n"
      "lw a6, 0(a1)\n"
      "addi a1, a1, 4\n"
      "slli a2, a2, 3\n"
      "add a2, a2, a1\n"
      "mv a7, a6\n"
      "mv t0, a6\n"
      "mv t1, a6\n"
      "mv t2, a6\n"
      "mv t3, a6\n"
      "mv t4, a6\n"
      "mv t5, a6\n"
      "mv t6, a6\n"
      "mv s0, a6\n"
      "mv s1, a6\n"
      "mv s2, a6\n"
      "mv s3, a6\n"
      "mv s4, a6\n"
      "mv s5, a6\n"
      "mv s6, a6\n"
      "1:\n"
      "lh a4, 0(a1)\n"  //
      HEED_FOUR_OUTPUTS("lbu", "0", "4", "8", "12", "a6", "a7", "t0", "t1")
      HEED_FOUR_OUTPUTS("lbu", "16", "20", "24", "28", "t2", "t3", "t4", "t5")
      HEED_FOUR_OUTPUTS("lbu", "32", "36", "40", "44", "t6", "s0", "s1", "s2")
      HEED_FOUR_OUTPUTS("lbu", "48", "52", "56", "60", "s3", "s4", "s5", "s6")
      "lh a4, 2(a1)\n"  //
      HEED_FOUR_OUTPUTS("lb", "1", "5", "9", "13", "a6", "a7", "t0", "t1")
      HEED_FOUR_OUTPUTS("lb", "17", "21", "25", "29", "t2", "t3", "t4", "t5")
      HEED_FOUR_OUTPUTS("lb", "33", "37", "41", "45", "t6", "s0", "s1", "s2")
      HEED_FOUR_OUTPUTS("lb", "49", "53", "57", "61", "s3", "s4", "s5", "s6")
      "lh a4, 4(a1)\n"  //
      HEED_FOUR_OUTPUTS("lbu", "2", "6", "10", "14", "a6", "a7", "t0", "t1")
      HEED_FOUR_OUTPUTS("lbu", "18", "22", "26", "30", "t2", "t3", "t4", "t5")
      HEED_FOUR_OUTPUTS("lbu", "34", "38", "42", "46", "t6", "s0", "s1", "s2")
      HEED_FOUR_OUTPUTS("lbu", "50", "54", "58", "62", "s3", "s4", "s5", "s6")
      "lh a4, 6(a1)\n"  //
      HEED_FOUR_OUTPUTS("lb", "3", "7", "11", "15", "a6", "a7", "t0", "t1")
      HEED_FOUR_OUTPUTS("lb", "19", "23", "27", "31", "t2", "t3", "t4", "t5")
      HEED_FOUR_OUTPUTS("lb", "35", "39", "43", "47", "t6", "s0", "s1", "s2")
      HEED_FOUR_OUTPUTS("lb", "51", "55", "59", "63", "s3", "s4", "s5", "s6")
      "addi a0, a0, 64\n"
      "addi a1, a1, 8\n"
      "bne a1, a2, 1b\n"
      "sw a6, 0(a3)\n"
      "sw a7, 4(a3)\n"
      "sw t0, 8(a3)\n"
      "sw t1, 12(a3)\n"
      "sw t2, 16(a3)\n"
      "sw t3, 20(a3)\n"
      "sw t4, 24(a3)\n"
      "sw t5, 28(a3)\n"
      "sw t6, 32(a3)\n"
      "sw s0, 36(a3)\n"
      "sw s1, 40(a3)\n"
      "sw s2, 44(a3)\n"
      "sw s3, 48(a3)\n"
      "sw s4, 52(a3)\n"
      "sw s5, 56(a3)\n"
      "sw s6, 60(a3)\n"
      "lw s0, 0(sp)\n"
      "lw s1, 4(sp)\n"
      "lw s2, 8(sp)\n"
      "lw s3, 12(sp)\n"
      "lw s4, 16(sp)\n"
      "lw s5, 20(sp)\n"
      "lw s6, 24(sp)\n"
      "addi sp, sp, 32\n"
      "ret\n");
}
#undef HEED_FOUR_OUTPUTS
#undef HEED_ONE_OUTPUT

/// Sums of a panel's first outputs, 16 at most; those of what is left may be made as well.
[[gnu::always_inline]] inline void sums_of_outputs(const std::byte* weights, const std::byte* run, std::uint32_t words,
                                                   std::uint32_t outputs, std::int32_t* to) noexcept {
  (outputs > integer_outputs ? sums_of_panel : sums_of_bytes)(weights, run, words, to);
}

}  // namespace heed::detail
