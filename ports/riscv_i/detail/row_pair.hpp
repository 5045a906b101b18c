// SPDX-License-Identifier: MIT
//
// Two rows of bytes at once: a weight times a + 2^16 b, the numbers of both rows, is both products. Two inputs' sum of
// either has 16 bits, as long as the weights' bias is taken off it, so that it is told from the other one's then:
// nine instructions for four products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

// The sums of both rows modulo 2^32, and b's alone, of an output with the weights of two inputs.
#define HEED_ONE_OUTPUT(first, second, both, b) \
  "lbu s7, " first                              \
  "(a0)\n"                                      \
  "lb s8, " second                              \
  "(a0)\n"                                      \
  "mul s7, s7, s9\n"                            \
  "mul s8, s8, s10\n"                           \
  "add s7, s7, s11\n"                           \
  "add s7, s7, s8\n"                            \
  "add " both ", " both                         \
  ", s7\n"                                      \
  "srai s7, s7, 16\n"                           \
  "add " b ", " b ", s7\n"

// s9, s10: the numbers of two inputs; s11: 2^15, by which no sum is negative, and the bias.
#define HEED_TWO_INPUTS(first, second) \
  "lh s9, " first                      \
  "(a1)\n"                             \
  "lh s7, " first                      \
  "(a2)\n"                             \
  "lh s10, " second                    \
  "(a1)\n"                             \
  "lh s8, " second                     \
  "(a2)\n"                             \
  "slli s7, s7, 16\n"                  \
  "add s9, s9, s7\n"                   \
  "slli s8, s8, 16\n"                  \
  "add s10, s10, s8\n"                 \
  "lui s11, 8\n"                       \
  "slli s7, s9, 7\n"                   \
  "sub s11, s11, s7\n"

#define HEED_STORE(both, b, at, b_at) \
  "slli s7, " b                       \
  ", 16\n"                            \
  "sub " both ", " both               \
  ", s7\n"                            \
  "sw " both ", " at                  \
  "(a4)\n"                            \
  "sw " b ", " b_at "(a4)\n"

/// Eight outputs of a row, and 16 sums further on of the other one, whose run is `distance` bytes after `run`; `words`
/// words of each output, more than none.
[[gnu::noinline]] inline void sums_of_row_pair(const std::byte* weights, const std::byte* run, std::size_t distance,
                                               std::uint32_t words, std::int32_t* to) noexcept {
  register const std::byte* w asm("a0") = weights;
  register const std::byte* x asm("a1") = run + sizeof(std::int32_t);
  register const std::byte* y asm("a2") = x + distance;
  register const std::byte* end asm("a3") = x + words * 8;
  register std::int32_t* sums asm("a4") = to;
  register std::uint32_t start asm("s9") = 0U - (words << 16);  // what two times 2^15 for each word come to
  asm volatile(
      "mv a5, s9\n"
      "mv a6, s9\n"
      "mv a7, s9\n"
      "mv t0, s9\n"
      "mv t1, s9\n"
      "mv t2, s9\n"
      "mv t3, s9\n"
      "mv t4, s9\n"
      "li t5, 0\n"
      "li t6, 0\n"
      "li s1, 0\n"
      "li s2, 0\n"
      "li s3, 0\n"
      "li s4, 0\n"
      "li s5, 0\n"
      "li s6, 0\n"
      "1:\n"
      HEED_TWO_INPUTS("0", "2")
      HEED_ONE_OUTPUT("0", "1", "a5", "t5")
      HEED_ONE_OUTPUT("4", "5", "a6", "t6")
      HEED_ONE_OUTPUT("8", "9", "a7", "s1")
      HEED_ONE_OUTPUT("12", "13", "t0", "s2")
      HEED_ONE_OUTPUT("16", "17", "t1", "s3")
      HEED_ONE_OUTPUT("20", "21", "t2", "s4")
      HEED_ONE_OUTPUT("24", "25", "t3", "s5")
      HEED_ONE_OUTPUT("28", "29", "t4", "s6")
      HEED_TWO_INPUTS("4", "6")
      HEED_ONE_OUTPUT("2", "3", "a5", "t5")
      HEED_ONE_OUTPUT("6", "7", "a6", "t6")
      HEED_ONE_OUTPUT("10", "11", "a7", "s1")
      HEED_ONE_OUTPUT("14", "15", "t0", "s2")
      HEED_ONE_OUTPUT("18", "19", "t1", "s3")
      HEED_ONE_OUTPUT("22", "23", "t2", "s4")
      HEED_ONE_OUTPUT("26", "27", "t3", "s5")
      HEED_ONE_OUTPUT("30", "31", "t4", "s6")
      "addi a0, a0, 64\n"
      "addi a1, a1, 8\n"
      "addi a2, a2, 8\n"
      "bne a1, a3, 1b\n"
      HEED_STORE("a5", "t5", "0", "64")
      HEED_STORE("a6", "t6", "4", "68")
      HEED_STORE("a7", "s1", "8", "72")
      HEED_STORE("t0", "s2", "12", "76")
      HEED_STORE("t1", "s3", "16", "80")
      HEED_STORE("t2", "s4", "20", "84")
      HEED_STORE("t3", "s5", "24", "88")
      HEED_STORE("t4", "s6", "28", "92")
      : "+r"(w), "+r"(x), "+r"(y), "+r"(start)
      : "r"(end), "r"(sums)
      : "memory", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
        "s8", "s10", "s11");
}
#undef HEED_STORE
#undef HEED_TWO_INPUTS
#undef HEED_ONE_OUTPUT

}  // namespace heed::detail
