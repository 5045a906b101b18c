// SPDX-License-Identifier: MIT
//
// Products of four rows of 8 bits with all outputs of some panels of int8, two outputs at a time: eight sums, which is
// as many as there are core registers for them. Sixteen products take two instructions, where those of three rows take
// 2.17.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "byte_tiles.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// What the products begin from. There is a core register for every operand of a loop and none beside, so that they are
/// chosen here; where the sums end is where the loop finds the rest.
struct FourRows {
  std::int32_t sums[4 * panel_width];
  const std::byte* x[4];
  float row_scale[4];
  float* y[4];
  const float* scales;  ///< null: the sums of one panel, and no outputs
  const float* bias;
  std::uint32_t bias_step;  ///< 16, or 0 for four floats
  const std::byte* last;    ///< the last 64 inputs of the first row
  const float* end;         ///< of the scales
  std::uint32_t frame;  ///< r7 around the loops: it may point to a frame, so that no list of what they change has it
};
static_assert(offsetof(FourRows, x) == 256 && offsetof(FourRows, row_scale) == 272 && offsetof(FourRows, y) == 288);
static_assert(offsetof(FourRows, scales) == 304 && offsetof(FourRows, bias_step) == 312);
static_assert(offsetof(FourRows, last) == 316 && offsetof(FourRows, end) == 320 && offsetof(FourRows, frame) == 324);

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
// Two outputs a round, or four where code is for speed; and four quads of outputs likewise.
#ifdef __OPTIMIZE_SIZE__
#define HEED_ROUNDS "8"
#define HEED_ROUND(...) __VA_ARGS__
#define HEED_QUADS(...) "mov r11, #4\n" "dls lr, r11\n" "6:\n" __VA_ARGS__ "le lr, 6b\n"
#else
#define HEED_ROUNDS "4"
#define HEED_ROUND(...) __VA_ARGS__ __VA_ARGS__
#define HEED_QUADS(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#endif
// Of four times sixteen inputs the second come first: from there the others are in reach, and the next two outputs. The
// second inputs of three rows stay in q5 to q7.
#define HEED_TWO_OUTPUTS(begin, kind) begin         \
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
  "strd r0, r2, [r1], #8\n"
#define HEED_FOUR_ROWS_OF_64(label, begin, kind)    \
  "vldrb.u8 q5, [r3, #16]\n"                       \
  "vldrb.u8 q6, [r5, #16]\n"                       \
  "vldrb.u8 q7, [r7, #16]\n"                       \
  "mov r11, #" HEED_ROUNDS "\n"                    \
  label ":\n" HEED_ROUND(HEED_TWO_OUTPUTS(begin, kind)) \
  "subs r11, #1\n"                                 \
  "bne " label "b\n"                               \
  /* Rounds have moved on by the 64 bytes of all outputs. */ \
  "mov r11, #960\n"                                \
  "vadd.i32 %q[at], %q[at], r11\n"
#define HEED_OUTPUTS(scale, sums, y)                \
  "vldrw.u32 q2, [r1" sums "\n"                    \
  "vmul.f32 q5, q0, " scale "\n"                   \
  "vcvt.f32.s32 q2, q2\n"                          \
  "vmul.f32 q2, q2, q5\n"                          \
  "vadd.f32 q2, q1, q2\n"                          \
  "vstrw.32 q2, [" y "], #16\n"

/// y = bias + float(sum) * (scale * row_scale), of panels that begin at `weights`; the sums of the last one stay.
[[gnu::noinline]] inline void multiply_four_rows(FourRows& rows, const std::byte* weights) noexcept {
  const uint16x8_t mask = vdupq_n_u16(0x0080);
  // The first round goes 252 bytes back, to the words of the second sixteen inputs.
  uint32x4_t at = WeightWords(weights + 256 + 256 + 252).at;
  register FourRows* const from asm("r1") = &rows;
  asm volatile(
      "str r7, [r1, #324]\n"
      "1:\n"
      "ldrd r3, r5, [r1, #256]\n"
      "ldrd r7, r9, [r1, #264]\n"
      HEED_FOUR_ROWS_OF_64("2", "", "vmladav.s8")
      // Rounds have moved on by 64 bytes here, too.
      "3:\n"
      "ldr r0, [r1, #252]\n"
      "cmp r3, r0\n"
      "beq 5f\n"
      "add r3, r3, #64\n"
      "add r5, r5, #64\n"
      "add r7, r7, #64\n"
      "add r9, r9, #64\n"
      "sub r1, r1, #64\n"
      HEED_FOUR_ROWS_OF_64("4", "ldrd r0, r2, [r1]\n" "ldrd r4, r6, [r1, #64]\n" "ldrd r8, r10, [r1, #128]\n"
                           "ldrd r12, lr, [r1, #192]\n", "vmladava.s8")
      "b 3b\n"
      "5:\n"
      "ldrd r0, r10, [r1, #240]\n"
      "cmp r0, #0\n"
      "beq 7f\n"
      "ldrd r2, r4, [r1, #208]\n"
      "ldrd r6, r8, [r1, #216]\n"
      "ldrd r3, r5, [r1, #224]\n"
      "ldrd r7, r9, [r1, #232]\n"
      "ldr r12, [r1, #248]\n"
      HEED_QUADS(
      "vldrw.u32 q0, [r0], #16\n"
      "vldrw.u32 q1, [r10]\n"
      "add r10, r10, r12\n"
      HEED_OUTPUTS("r2", ", #-64]", "r3")
      HEED_OUTPUTS("r6", ", #64]", "r7")
      HEED_OUTPUTS("r8", ", #128]", "r9")
      HEED_OUTPUTS("r4", "], #16", "r5"))
      "sub r1, r1, #128\n"
      "strd r3, r5, [r1, #288]\n"
      "strd r7, r9, [r1, #296]\n"
      "strd r0, r10, [r1, #304]\n"
      "ldr r11, [r1, #320]\n"
      "cmp r0, r11\n"
      "bne 1b\n"
      "add r1, r1, #64\n"
      "7:\n"
      "sub r1, r1, #64\n"
      "ldr r7, [r1, #324]\n"
      : [at] "+w"(at)
      : [mask] "w"(mask), "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1",
        "q2", "q5", "q6", "q7");
}

// clang-format on
#undef HEED_WORDS
#undef HEED_SUMS
#undef HEED_ROW
#undef HEED_ROWS
#undef HEED_ROUNDS
#undef HEED_ROUND
#undef HEED_QUADS
#undef HEED_TWO_OUTPUTS
#undef HEED_FOUR_ROWS_OF_64
#undef HEED_OUTPUTS

/// Sums [4, 16] of four rows and 64 `times` inputs, at least once.
[[gnu::noinline]] inline void four_rows_of_64s(const std::byte* weights, const std::byte* x, std::size_t row_bytes,
                                               std::uint32_t times, std::int32_t* sums) noexcept {
  FourRows rows;
  for (std::uint32_t r = 0; r < 4; ++r) rows.x[r] = x + r * row_bytes;
  rows.scales = nullptr;
  rows.last = x + (times - 1) * inputs_at_once;
  multiply_four_rows(rows, weights);
  for (std::uint32_t i = 0; i < 4 * panel_width; i += 4) vst1q_s32(sums + i, vld1q_s32(rows.sums + i));
}

}  // namespace heed::detail
