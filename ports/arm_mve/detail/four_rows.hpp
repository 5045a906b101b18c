// SPDX-License-Identifier: MIT
//
// Sums of products of four rows and two outputs at a time, weights of 8 bits: eight sums, which is as many as there are
// core registers for them. Of rows of 8 bits, sixteen products take two instructions, where those of three rows take
// 2.17.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "byte_tiles.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// What two outputs begin from. There is a core register for every operand and none beside, so that they are chosen
/// here.
struct FourRows {
  const std::byte* x[4];
  std::int32_t* sums;
  std::uint32_t times;   ///< two outputs, or four
  std::uint32_t rounds;  ///< of sixteen inputs
};
static_assert(sizeof(FourRows) == 28);

// clang-format off
#define HEED_WORDS(first, second)                   \
  "vldrw.u32 q0, [%q[at], #" first "\n"            \
  "vldrw.u32 q1, [%q[at], #" second "\n"           \
  "veor q0, q0, %q[mask]\n"                        \
  "veor q1, q1, %q[mask]\n"
#define HEED_SUMS(kind, x, first, second)           \
  kind " " first ", q0, " x "\n"                   \
  kind " " second ", q1, " x "\n"
#define HEED_ROW(kind, row, offset, first, second)  \
  "vldrb.u8 q2, [" row ", #" offset "]\n"          \
  HEED_SUMS(kind, "q2", first, second)
#define HEED_ROWS(first, second, offset)            \
  HEED_WORDS(first, second)                         \
  HEED_ROW("vmladava.s8", "r3", offset, "r0", "r2") \
  HEED_ROW("vmladava.s8", "r5", offset, "r4", "r6") \
  HEED_ROW("vmladava.s8", "r7", offset, "r8", "r10") \
  HEED_ROW("vmladava.s8", "r9", offset, "r12", "lr")
// Of four times sixteen inputs the second come first: from there the others are in reach, and the next two outputs. The
// second inputs of three rows stay in q5 to q7.
#define HEED_FOUR_ROWS_OF_64(begin, kind)           \
  asm volatile(                                     \
  "ldrd r3, r5, [r1]\n"                            \
  "ldrd r7, r9, [r1, #8]\n"                        \
  "ldrd r1, r11, [r1, #16]\n"                      \
  "vldrb.u8 q5, [r3, #16]\n"                       \
  "vldrb.u8 q6, [r5, #16]\n"                       \
  "vldrb.u8 q7, [r7, #16]\n"                       \
  "1:\n" begin                                     \
  HEED_WORDS("-252]!", "4]")                        \
  HEED_SUMS(kind, "q5", "r0", "r2")                 \
  HEED_SUMS(kind, "q6", "r4", "r6")                 \
  HEED_SUMS(kind, "q7", "r8", "r10")                \
  HEED_ROW(kind, "r9", "16", "r12", "lr")           \
  HEED_ROWS("-256]", "-252]", "0")                  \
  HEED_ROWS("256]", "260]!", "32")                  \
  HEED_ROWS("252]", "256]", "48")                   \
  "strd r4, r6, [r1, #64]\n"                       \
  "strd r8, r10, [r1, #128]\n"                     \
  "strd r12, lr, [r1, #192]\n"                     \
  "strd r0, r2, [r1], #8\n"                        \
  "subs r11, #1\n"                                 \
  "bne 1b\n"                                       \
      : [at] "+w"(at), "+r"(from)                   \
      : [mask] "w"(mask)                            \
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", \
        "q2", "q5", "q6", "q7")

/// Sums [4, 16] of four rows and 64 `times` inputs, at least once.
[[gnu::noinline]] inline void four_rows_of_64s(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                               std::uint32_t times, std::int32_t* sums) noexcept {
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  FourRows rows{{x, x + row_bytes, x + 2 * row_bytes, x + 3 * row_bytes}, sums, panel_width / 2, 0};
  // The first round goes 252 bytes back, to the words of the second sixteen inputs.
  uint32x4_t at = WeightWords(weights + 256 + 256 + 252).at;
  for (bool adds = false; times != 0; --times, adds = true) {
    register const FourRows* from asm("r1") = &rows;
    if (adds) {
      HEED_FOUR_ROWS_OF_64("ldrd r0, r2, [r1]\n" "ldrd r4, r6, [r1, #64]\n"
                           "ldrd r8, r10, [r1, #128]\n" "ldrd r12, lr, [r1, #192]\n", "vmladava.s8");
    } else {
      HEED_FOUR_ROWS_OF_64("", "vmladav.s8");
    }
    // Rounds have moved on by the 64 bytes of all outputs.
    at = vaddq_n_u32(at, weight_bytes_at_once - 64);
    for (const std::byte*& row : rows.x) row += inputs_at_once;
  }
}

// Even inputs of two outputs in q1 and q3, odd ones in q0 and q2.
#define HEED_LONG_ROW(x, first, second)             \
  "vldrh.u16 q5, [" x "], #16\n"                  \
  "vldrh.u16 q6, [" x "], #16\n"                  \
  "vmladava.s16 " first ", q1, q5\n"              \
  "vmladava.s16 " second ", q3, q5\n"             \
  "vmladava.s16 " first ", q0, q6\n"              \
  "vmladava.s16 " second ", q2, q6\n"

/// Adds to sums [4, 16] those of four rows of 16 bits and a multiple of sixteen inputs, `outputs` at least.
[[gnu::noinline]] inline void add_four_long_rows(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                                 std::uint32_t inputs, std::uint32_t outputs,
                                                 std::int32_t* sums) noexcept {
  FourRows rows{{x, x + row_bytes, x + 2 * row_bytes, x + 3 * row_bytes}, sums, (outputs + 1) / 2, inputs / 16};
  uint32x4_t at = WeightWords(weights).at;
  // After every call: one would overwrite it.
  register FourRows* const from asm("r1") = &rows;
  asm volatile(
      "1:\n"
      "ldrd r3, r5, [r1]\n"
      "ldrd r7, r9, [r1, #8]\n"
      "ldr r11, [r1, #16]\n"
      "ldrd r0, r2, [r11]\n"
      "ldrd r4, r6, [r11, #64]\n"
      "ldrd r8, r10, [r11, #128]\n"
      "ldrd r12, lr, [r11, #192]\n"
      "vmov q7, %q[at]\n"
      "ldr r11, [r1, #24]\n"
      "2:\n"
      "vldrw.u32 q0, [q7, #256]!\n"
      "vldrw.u32 q2, [q7, #4]\n"
      "vmovlb.u8 q1, q0\n"
      "vmovlt.s8 q0, q0\n"
      "vmovlb.u8 q3, q2\n"
      "vmovlt.s8 q2, q2\n"
      HEED_LONG_ROW("r3", "r0", "r2")
      HEED_LONG_ROW("r5", "r4", "r6")
      HEED_LONG_ROW("r7", "r8", "r10")
      HEED_LONG_ROW("r9", "r12", "lr")
      "subs r11, #1\n"
      "bne 2b\n"
      "ldr r11, [r1, #16]\n"
      "strd r4, r6, [r11, #64]\n"
      "strd r8, r10, [r11, #128]\n"
      "strd r12, lr, [r11, #192]\n"
      "strd r0, r2, [r11], #8\n"
      "str r11, [r1, #16]\n"
      "mov r11, #8\n"
      "vadd.i32 %q[at], %q[at], r11\n"
      "ldr r11, [r1, #20]\n"
      "subs r11, #1\n"
      "str r11, [r1, #20]\n"
      "bne 1b\n"
      : [at] "+w"(at)
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1",
        "q2", "q3", "q5", "q6", "q7");
}

// Even inputs of an output in q6, odd ones in q5.
#define HEED_LONG_OUTPUT(from, first, second)       \
  "vldrw.u32 q5, [q7, #" from "\n"                \
  "vmovlb.u8 q6, q5\n"                            \
  "vmovlt.s8 q5, q5\n"                            \
  "vmladava.s16 " first ", q6, q0\n"              \
  "vmladava.s16 " second ", q6, q2\n"             \
  "vmladava.s16 " first ", q5, q1\n"              \
  "vmladava.s16 " second ", q5, q3\n"

/// The same of two rows, four outputs at a time.
[[gnu::noinline]] inline void add_two_long_rows(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                                std::uint32_t inputs, std::uint32_t outputs,
                                                std::int32_t* sums) noexcept {
  FourRows rows{{x, x + row_bytes, nullptr, nullptr}, sums, (outputs + 3) / 4, inputs / 16};
  uint32x4_t at = WeightWords(weights).at;
  register FourRows* const from asm("r1") = &rows;
  asm volatile(
      "1:\n"
      "ldrd r3, r5, [r1]\n"
      "ldr r11, [r1, #16]\n"
      "ldrd r0, r2, [r11]\n"
      "ldrd r4, r6, [r11, #8]\n"
      "ldrd r8, r10, [r11, #64]\n"
      "ldrd r12, lr, [r11, #72]\n"
      "vmov q7, %q[at]\n"
      "ldr r9, [r1, #24]\n"
      "2:\n"
      "vldrh.u16 q0, [r3], #16\n"
      "vldrh.u16 q1, [r3], #16\n"
      "vldrh.u16 q2, [r5], #16\n"
      "vldrh.u16 q3, [r5], #16\n"
      HEED_LONG_OUTPUT("256]!", "r0", "r8")
      HEED_LONG_OUTPUT("4]", "r2", "r10")
      HEED_LONG_OUTPUT("8]", "r4", "r12")
      HEED_LONG_OUTPUT("12]", "r6", "lr")
      "subs r9, #1\n"
      "bne 2b\n"
      "strd r4, r6, [r11, #8]\n"
      "strd r8, r10, [r11, #64]\n"
      "strd r12, lr, [r11, #72]\n"
      "strd r0, r2, [r11], #16\n"
      "str r11, [r1, #16]\n"
      "mov r11, #16\n"
      "vadd.i32 %q[at], %q[at], r11\n"
      "ldr r11, [r1, #20]\n"
      "subs r11, #1\n"
      "str r11, [r1, #20]\n"
      "bne 1b\n"
      : [at] "+w"(at)
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2",
        "q3", "q5", "q6", "q7");
}

// clang-format on
#undef HEED_LONG_ROW
#undef HEED_LONG_OUTPUT
#undef HEED_WORDS
#undef HEED_SUMS
#undef HEED_ROW
#undef HEED_ROWS
#undef HEED_FOUR_ROWS_OF_64

}  // namespace heed::detail
