// SPDX-License-Identifier: MIT
//
// Sums of products of rows of 16 bits and weights of 8 bits, four rows and two outputs at a time, or two and four:
// eight sums, which is as many as there are core registers for them.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "integer_tiles.hpp"

namespace heed::detail {

/// What two outputs begin from. There is a core register for every operand and none beside, so that they are chosen
/// here.
struct LongRows {
  const std::byte* x[4];
  std::int32_t* sums;
  std::uint32_t times;   ///< two outputs, or four
  std::uint32_t rounds;  ///< of sixteen inputs
  std::uint32_t frame;   ///< r7 around the loops: it may point to a frame, so that no list of what they change has it
};
static_assert(offsetof(LongRows, sums) == 16 && offsetof(LongRows, frame) == 28);

// clang-format off
#define HEED_LONG_ROW(x, first, second)             \
  "vldrh.u16 q5, [" x "], #16\n"                  \
  "vldrh.u16 q6, [" x "], #16\n"                  \
  "vmladava.s16 " first ", q1, q5\n"              \
  "vmladava.s16 " second ", q3, q5\n"             \
  "vmladava.s16 " first ", q0, q6\n"              \
  "vmladava.s16 " second ", q2, q6\n"
// All inputs of four rows, even ones of two outputs in q1 and q3, odd ones in q0 and q2.
#define HEED_FOUR_LONG_ROWS                         \
  "2:\n"                                          \
  "vldrw.u32 q0, [q7, #256]!\n"                   \
  "vldrw.u32 q2, [q7, #4]\n"                      \
  "vmovlb.u8 q1, q0\n"                            \
  "vmovlt.s8 q0, q0\n"                            \
  "vmovlb.u8 q3, q2\n"                            \
  "vmovlt.s8 q2, q2\n"                            \
  HEED_LONG_ROW("r3", "r0", "r2")                   \
  HEED_LONG_ROW("r5", "r4", "r6")                   \
  HEED_LONG_ROW("r7", "r8", "r10")                  \
  HEED_LONG_ROW("r9", "r12", "lr")                  \
  "subs r11, #1\n"                                \
  "bne 2b\n"
#define HEED_LONG_OUTPUT(from, first, second)       \
  "vldrw.u32 q5, [q7, #" from "\n"                \
  "vmovlb.u8 q6, q5\n"                            \
  "vmovlt.s8 q5, q5\n"                            \
  "vmladava.s16 " first ", q6, q0\n"              \
  "vmladava.s16 " second ", q6, q2\n"             \
  "vmladava.s16 " first ", q5, q1\n"              \
  "vmladava.s16 " second ", q5, q3\n"
// All inputs of two rows, even ones of an output in q6, odd ones in q5.
#define HEED_TWO_LONG_ROWS                          \
  "2:\n"                                          \
  "vldrh.u16 q0, [r3], #16\n"                     \
  "vldrh.u16 q1, [r3], #16\n"                     \
  "vldrh.u16 q2, [r5], #16\n"                     \
  "vldrh.u16 q3, [r5], #16\n"                     \
  HEED_LONG_OUTPUT("256]!", "r0", "r8")             \
  HEED_LONG_OUTPUT("4]", "r2", "r10")               \
  HEED_LONG_OUTPUT("8]", "r4", "r12")               \
  HEED_LONG_OUTPUT("12]", "r6", "lr")               \
  "subs r9, #1\n"                                 \
  "bne 2b\n"

/// Adds to sums [4, 16] those of four rows of 16 bits and a multiple of sixteen inputs, `outputs` at least.
[[gnu::noinline]] inline void add_four_long_rows(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                                 std::uint32_t inputs, std::uint32_t outputs,
                                                 std::int32_t* sums) noexcept {
  LongRows rows{{x, x + row_bytes, x + 2 * row_bytes, x + 3 * row_bytes}, sums, (outputs + 1) / 2, inputs / 16, 0};
  uint32x4_t at = WeightWords(weights).at;
  // After every call: one would overwrite it.
  register LongRows* const from asm("r1") = &rows;
  asm volatile(
      "str r7, [r1, #28]\n"
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
      HEED_FOUR_LONG_ROWS
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
      "ldr r7, [r1, #28]\n"
      : [at] "+w"(at)
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1",
        "q2", "q3", "q5", "q6", "q7");
}

/// The same of two rows, four outputs at a time.
[[gnu::noinline]] inline void add_two_long_rows(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                                std::uint32_t inputs, std::uint32_t outputs,
                                                std::int32_t* sums) noexcept {
  LongRows rows{{x, x + row_bytes, nullptr, nullptr}, sums, (outputs + 3) / 4, inputs / 16, 0};
  uint32x4_t at = WeightWords(weights).at;
  register LongRows* const from asm("r1") = &rows;
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
      HEED_TWO_LONG_ROWS
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

// Sums to lanes of q0 and q1.
#define HEED_LONG_SUMS           \
  "vmov q0[2], q0[0], r0, r4\n"  \
  "vmov q0[3], q0[1], r2, r6\n"  \
  "vmov q1[2], q1[0], r8, r12\n" \
  "vmov q1[3], q1[1], r10, lr\n"

/// What the products of two or four rows of weights with values begin from, and where their floats go.
struct WeighedRows {
  const std::byte* x[4];
  std::int32_t bias[4];
  float scale[4][2];   ///< twice, as there are two outputs
  std::uint32_t y[8];  ///< where a row's next outputs go, of four rows less 8 bytes, and 0: a double word of addresses
  std::uint32_t rounds;
  std::uint32_t back;   ///< bytes from the end of the inputs to the next outputs' first
  std::uint32_t times;  ///< two outputs, or four
  std::uint32_t frame;  ///< as that of LongRows
};
static_assert(offsetof(WeighedRows, bias) == 16 && offsetof(WeighedRows, scale) == 32);
static_assert(offsetof(WeighedRows, y) == 64 && offsetof(WeighedRows, rounds) == 96);
static_assert(offsetof(WeighedRows, frame) == 108);

/// y = float(bias + sum) * scale, of four rows and sixteen values from `values` on, or fewer, two at a time.
[[gnu::noinline]] inline void weigh_for_four_rows(WeighedRows& rows, const std::byte* values) noexcept {
  register uint32x4_t at asm("q7") = WeightWords(values).at;
  register WeighedRows* const from asm("r1") = &rows;
  asm volatile(
      "str r7, [r1, #108]\n"
      "vldrw.u32 q4, [r1, #64]\n"
      "1:\n"
      "ldrd r3, r5, [r1]\n"
      "ldrd r7, r9, [r1, #8]\n"
      "ldrd r0, r4, [r1, #16]\n"
      "ldrd r8, r12, [r1, #24]\n"
      "mov r2, r0\n"
      "mov r6, r4\n"
      "mov r10, r8\n"
      "mov lr, r12\n"
      "ldr r11, [r1, #96]\n"
      HEED_FOUR_LONG_ROWS
      HEED_LONG_SUMS
      "vldrw.u32 q2, [r1, #32]\n"
      "vldrw.u32 q3, [r1, #48]\n"
      "vcvt.f32.s32 q0, q0\n"
      "vcvt.f32.s32 q1, q1\n"
      "vmul.f32 q0, q0, q2\n"
      "vmul.f32 q1, q1, q3\n"
      "vldrw.u32 q5, [r1, #80]\n"
      "vstrd.64 q0, [q4, #8]!\n"
      "vstrd.64 q1, [q5, #8]!\n"
      "vstrw.32 q5, [r1, #80]\n"
      "ldrd r9, r11, [r1, #100]\n"
      "vsub.i32 q7, q7, r9\n"
      "subs r11, #1\n"
      "str r11, [r1, #104]\n"
      "bne 1b\n"
      "vstrw.32 q4, [r1, #64]\n"
      "ldr r7, [r1, #108]\n"
      : [at] "+w"(at)
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2",
        "q3", "q4", "q5", "q6");
}

/// The same of two rows, four at a time; y[0] and y[2] are where those go.
[[gnu::noinline]] inline void weigh_for_two_rows(WeighedRows& rows, const std::byte* values) noexcept {
  register uint32x4_t at asm("q7") = WeightWords(values).at;
  register WeighedRows* const from asm("r1") = &rows;
  asm volatile(
      "ldr r11, [r1, #104]\n"
      "1:\n"
      "ldrd r3, r5, [r1]\n"
      "ldrd r0, r8, [r1, #16]\n"
      "mov r2, r0\n"
      "mov r4, r0\n"
      "mov r6, r0\n"
      "mov r10, r8\n"
      "mov r12, r8\n"
      "mov lr, r8\n"
      "ldr r9, [r1, #96]\n"
      HEED_TWO_LONG_ROWS
      HEED_LONG_SUMS
      "ldr r0, [r1, #32]\n"
      "ldr r2, [r1, #40]\n"
      "vcvt.f32.s32 q0, q0\n"
      "vcvt.f32.s32 q1, q1\n"
      "vmul.f32 q0, q0, r0\n"
      "vmul.f32 q1, q1, r2\n"
      "ldr r3, [r1, #64]\n"
      "ldr r5, [r1, #72]\n"
      "vstrw.32 q0, [r3], #16\n"
      "vstrw.32 q1, [r5], #16\n"
      "str r3, [r1, #64]\n"
      "str r5, [r1, #72]\n"
      "ldr r9, [r1, #100]\n"
      "vsub.i32 q7, q7, r9\n"
      "subs r11, #1\n"
      "bne 1b\n"
      : [at] "+w"(at)
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2",
        "q3", "q5", "q6");
}

// clang-format on
#undef HEED_LONG_SUMS
#undef HEED_LONG_ROW
#undef HEED_FOUR_LONG_ROWS
#undef HEED_LONG_OUTPUT
#undef HEED_TWO_LONG_ROWS

}  // namespace heed::detail
