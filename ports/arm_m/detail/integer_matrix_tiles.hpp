// SPDX-License-Identifier: MIT
//
// Outputs of one row or two and a matrix of bytes, straight from their sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "integer_steps.hpp"

namespace heed::detail {

/// Eight outputs, and then the next ones, of one run of a row.
struct OutputEights {
  const std::byte* weights;  ///< of whole panels, or from the second half of one on
  const std::byte* x;        ///< what sums start with, and numbers
  const float* scales;
  const float* bias;
  float* y;
  std::uint32_t inputs;   ///< a multiple of 8
  std::uint32_t eights;   ///< at least one
  std::size_t bias_step;  ///< bytes from eight to eight: 32, or 0
};
static_assert(sizeof(OutputEights) == 32);

// clang-format off
// On the stack: where sums become floats; what leads to the next weights, from the first half of a panel or from the
// second one, and the sum of both; scales, outputs; bias, its step; the count; then what eight outputs begin with: the
// row, what sums start with, eight times, and where a round of fewer inputs enters; the end of the row.
/// y = bias + float(sum) * (scale * row_scale); sums are 256 times what they stand for.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void eights_of_raw_words(const OutputEights&, float /*row_scale*/) noexcept {
  asm("push {r4-r11, lr}\n"
      "vpush {s16-s23}\n"
      "sub sp, #104\n"
      "ldrd r1, r4, [r0, #4]\n"
      "ldrd r6, r5, [r0, #12]\n"
      "ldrd r9, r8, [r0, #20]\n"
      "ldr r7, [r0, #28]\n"
      "ldr r0, [r0]\n"              // weights, x, scales, y, bias, its step, inputs, count: r0 r1 r4 r5 r6 r7 r9 r8
      "lsr r3, r9, #3\n"
      "rsb r12, r3, #0\n"
      "and r12, #3\n"
      "ldr r10, [r1], #4\n"
      "str r1, [sp, #60]\n"
      "add r2, r1, r9, lsl #1\n"
      "strd r12, r2, [sp, #96]\n"
      "lsl r12, r12, #7\n"
      "sub r0, r12\n"
      "sub r0, #" HEED_EIGHT_BASE "\n"
      "lsl r9, r9, #4\n"
      "add r3, r9, r12, lsl #1\n"
      "rsb r3, r3, #0\n"
      "rsb r2, r12, #32\n"
      "sub r2, r9\n"
      "add r12, sp, #32\n"
      "stmia r12!, {r2-r8}\n"
      "mov r11, r10\n"
      "strd r10, r11, [r12, #4]\n"
      "strd r10, r11, [r12, #12]\n"
      "strd r10, r11, [r12, #20]\n"
      "strd r10, r11, [r12, #28]\n"
      "6:\n"
      "ldmia r12, {r1, r4-r11, r12}\n"
      HEED_ROUND_OF_EIGHT
      "ldr r2, [sp, #100]\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      "stmia sp, {r4-r11}\n"
      "vldmia sp, {s8-s15}\n"
      "add r12, sp, #32\n"
      "ldmia r12, {r2-r8}\n"
      "add r0, r2\n"
      "sub r2, r3, r2\n"
      "vldmia r4!, {s16-s23}\n"
      "vcvt.f32.s32 s8, s8, #8\n"
      "vcvt.f32.s32 s9, s9, #8\n"
      "vcvt.f32.s32 s10, s10, #8\n"
      "vcvt.f32.s32 s11, s11, #8\n"
      "vcvt.f32.s32 s12, s12, #8\n"
      "vcvt.f32.s32 s13, s13, #8\n"
      "vcvt.f32.s32 s14, s14, #8\n"
      "vcvt.f32.s32 s15, s15, #8\n"
      "vmul.f32 s16, s16, s0\n"
      "vmul.f32 s17, s17, s0\n"
      "vmul.f32 s18, s18, s0\n"
      "vmul.f32 s19, s19, s0\n"
      "vmul.f32 s20, s20, s0\n"
      "vmul.f32 s21, s21, s0\n"
      "vmul.f32 s22, s22, s0\n"
      "vmul.f32 s23, s23, s0\n"
      "vmul.f32 s8, s8, s16\n"
      "vmul.f32 s9, s9, s17\n"
      "vmul.f32 s10, s10, s18\n"
      "vmul.f32 s11, s11, s19\n"
      "vmul.f32 s12, s12, s20\n"
      "vmul.f32 s13, s13, s21\n"
      "vmul.f32 s14, s14, s22\n"
      "vmul.f32 s15, s15, s23\n"
      "vldmia r6, {s16-s23}\n"
      "add r6, r7\n"
      "vadd.f32 s8, s16, s8\n"
      "vadd.f32 s9, s17, s9\n"
      "vadd.f32 s10, s18, s10\n"
      "vadd.f32 s11, s19, s11\n"
      "vadd.f32 s12, s20, s12\n"
      "vadd.f32 s13, s21, s13\n"
      "vadd.f32 s14, s22, s14\n"
      "vadd.f32 s15, s23, s15\n"
      "vstmia r5!, {s8-s15}\n"
      "subs r8, #1\n"
      "stmia r12!, {r2-r8}\n"
      "bne 6b\n"
      "add sp, #104\n"
      "vpop {s16-s23}\n"
      "pop {r4-r11, pc}");
}

/// sums [4] of four outputs and `pairs` times eight inputs, at least once: 256 times what they stand for.
[[gnu::naked]] inline void last_four_of_raw_words(const std::byte*, const std::byte*, std::uint32_t /*pairs*/,
                                                  std::int32_t*) noexcept {
  asm(HEED_BEGIN HEED_START_ONE "1:\n" HEED_PAIR_FOUR_RAW("0") "add r0, #128\n" HEED_REPEAT_ROUND HEED_END);
}

/// Two outputs of two rows, and then the next ones.
struct OutputPairs {
  const std::byte* weights;  // of whole panels, or from the wanted outputs on
  const std::byte* x;        // likewise of the first row
  std::size_t row_bytes;     // to the second row
  const float* scales;
  const float* bias;
  std::size_t bias_step;  // bytes from two to two: 8, or 0
  float* y;
  std::ptrdiff_t y_row;  // bytes
  std::uint32_t inputs;
  std::uint32_t pairs;
};
static_assert(sizeof(OutputPairs) == 40);

// On the stack: the numbers of both rows; scales, outputs; bias, its step; where a round of fewer inputs enters, what
// leads to the next weights; how many outputs are done, and wanted; to the next row, and from panel to panel; the end of
// the numbers.
#define HEED_BEGIN_PAIRS                            \
  "push {r4-r11, lr}\n"                             \
  "sub sp, #52\n"                                   \
  "ldrd r1, r3, [r0, #4]\n"                         \
  "ldrd r4, r5, [r0, #12]\n"                        \
  "ldrd r6, r7, [r0, #20]\n"                        \
  "ldrd r8, r9, [r0, #28]\n"                        \
  "ldr r10, [r0, #36]\n"                            \
  "ldr r0, [r0]\n"                                  \
  "add r3, r1\n"                                    \
  "strd r4, r7, [sp, #8]\n"                         \
  "strd r5, r6, [sp, #16]\n"                        \
  "ldr r4, [r1], #4\n"                              \
  "ldr r5, [r3], #4\n"                              \
  "vmov s2, s3, r4, r4\n"                           \
  "vmov s4, s5, r5, r5\n"                           \
  "strd r1, r3, [sp]\n"                             \
  "lsr r4, r9, #3\n"                                \
  "rsb r12, r4, #0\n"                               \
  "and r12, #3\n"                                   \
  "sub r0, r0, r12, lsl #7\n"                       \
  "add r2, r1, r9, lsl #1\n"                        \
  "lsl r9, #4\n"                                    \
  "rsb r4, r9, #8\n"                                \
  "sub r4, r4, r12, lsl #7\n"                       \
  "sub r9, #64\n"                                   \
  "strd r12, r4, [sp, #24]\n"                       \
  "mov r4, #0\n"                                    \
  "strd r4, r10, [sp, #32]\n"                       \
  "strd r8, r9, [sp, #40]\n"                        \
  "str r2, [sp, #48]\n"                             \
  "6:\n"                                            \
  "ldrd r1, r3, [sp]\n"                             \
  "ldr r12, [sp, #24]\n"                            \
  "vmov r4, r5, s2, s3\n"                           \
  "vmov r6, r7, s4, s5\n"
#define HEED_OUTPUTS(y0, y1, row_scale, bits)       \
  "vmul.f32 s14, s6, " row_scale "\n"               \
  "vmul.f32 s15, s7, " row_scale "\n"               \
  "vcvt.f32.s32 " y0 ", " y0 bits "\n"              \
  "vcvt.f32.s32 " y1 ", " y1 bits "\n"              \
  "vmul.f32 " y0 ", " y0 ", s14\n"                  \
  "vmul.f32 " y1 ", " y1 ", s15\n"
#define HEED_ADD_BIAS(y0, y1) "vadd.f32 " y0 ", s6, " y0 "\n" "vadd.f32 " y1 ", s7, " y1 "\n"
// Sums in r4-r7 become outputs in s8-s11.
#define HEED_END_PAIRS(bits)                        \
  "vmov s8, s9, r4, r5\n"                           \
  "vmov s10, s11, r6, r7\n"                         \
  "ldrd r4, r5, [sp, #8]\n"                         \
  "ldrd r6, r7, [sp, #16]\n"                        \
  "vldmia r4!, {s6-s7}\n"                           \
  HEED_OUTPUTS("s8", "s9", "s0", bits) HEED_OUTPUTS("s10", "s11", "s1", bits) \
  "vldmia r6, {s6-s7}\n"                            \
  "add r6, r7\n"                                    \
  HEED_ADD_BIAS("s8", "s9") HEED_ADD_BIAS("s10", "s11") \
  "ldr r8, [sp, #28]\n"                             \
  "ldrd r9, r10, [sp, #40]\n"                       \
  "ldrd r7, r11, [sp, #32]\n"                       \
  "add r0, r8\n"                                    \
  "add r12, r5, r9\n"                               \
  "vstmia r12, {s10-s11}\n"                         \
  "vstmia r5!, {s8-s9}\n"                           \
  "strd r4, r5, [sp, #8]\n"                         \
  "str r6, [sp, #16]\n"                             \
  "add r7, #1\n"                                    \
  "str r7, [sp, #32]\n"                             \
  "tst r7, #7\n"                                    \
  "bne 7f\n"                                        \
  "add r0, r10\n"                                   \
  "7:\n"                                            \
  "cmp r7, r11\n"                                   \
  "bne 6b\n"                                        \
  "add sp, #52\n"                                   \
  "pop {r4-r11, pc}"

[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void pairs_of_two_rows(const OutputPairs&, float /*row_scale*/, float /*next_scale*/) noexcept {
  asm(HEED_BEGIN_PAIRS HEED_ROUND(HEED_PAIR_TWO_RAW)
      "add r0, #512\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      HEED_END_PAIRS(", #8"));
}

/// The same of rows of 16 bits, whose sums are what they stand for.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void pairs_of_two_long_rows(const OutputPairs&, float /*row_scale*/,
                                                  float /*next_scale*/) noexcept {
  asm(HEED_BEGIN_PAIRS HEED_ROUND(HEED_PAIR_TWO_BYTES)
      "ldr r2, [sp, #48]\n"
      "add r0, #512\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      HEED_END_PAIRS(""));
}
// clang-format on
#undef HEED_BEGIN_PAIRS
#undef HEED_OUTPUTS
#undef HEED_ADD_BIAS
#undef HEED_END_PAIRS

}  // namespace heed::detail
