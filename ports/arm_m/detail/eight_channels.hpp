// SPDX-License-Identifier: MIT
//
// Scores of two rows of eight channels and all keys of a block: both rows stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

struct EightChannels {
  const std::byte* weights;  ///< a panel begins at a multiple of 64 bytes
  const std::byte* first;    ///< what a row's sums start with, and its numbers
  const std::byte* second;
  const float* scales;
  float* y;
  std::ptrdiff_t y_row;  ///< bytes
  std::uint32_t panels;  ///< of keys
};
static_assert(sizeof(EightChannels) == 28);

// clang-format off
#define HEED_KEY(at, sum0, sum1)      \
  "ldr r2, [r0, #" at "]\n"           \
  "smlad r3, r2, r4, r1\n"            \
  "smlad r12, r2, r8, lr\n"           \
  "uxtb16 r2, r2\n"                   \
  "smlad r3, r2, r5, r3\n"            \
  "smlad r12, r2, r9, r12\n"          \
  "ldr r2, [r0, #" at "+64]\n"        \
  "smlad r3, r2, r6, r3\n"            \
  "smlad r12, r2, r10, r12\n"         \
  "uxtb16 r2, r2\n"                   \
  "smlad r3, r2, r7, r3\n"            \
  "smlad r12, r2, r11, r12\n"         \
  "vmov " sum0 ", " sum1 ", r3, r12\n"
// Two sums and a key's scale become y0, and y1 where the scale was.
#define HEED_SCORES(sum0, sum1, scale, y0)     \
  "vcvt.f32.s32 " sum0 ", " sum0 ", #8\n"      \
  "vcvt.f32.s32 " sum1 ", " sum1 ", #8\n"      \
  "vmul.f32 " y0 ", " scale ", s0\n"           \
  "vmul.f32 " scale ", " scale ", s1\n"        \
  "vmul.f32 " y0 ", " sum0 ", " y0 "\n"        \
  "vmul.f32 " scale ", " sum1 ", " scale "\n"

/// y = float(sum) * (scale of the key * scale of the row), of eight keys a round. On the stack: scales, scores of both
/// rows; how many panels are left.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void score_eight_channels(const EightChannels&, float /*row_scale*/,
                                                float /*next_scale*/) noexcept {
  asm("push {r4-r11, lr}\n"
      "vpush {s16-s29}\n"
      "sub sp, #20\n"
      "ldrd r2, r3, [r0, #12]\n"
      "ldrd r4, r5, [r0, #20]\n"
      "add r4, r3\n"
      "stmia sp, {r2-r5}\n"
      "ldrd r1, r2, [r0, #4]\n"
      "ldr r0, [r0]\n"
      "ldmia r1, {r3-r7}\n"
      "mov r1, r3\n"
      "ldmia r2, {r3, r8-r11}\n"
      "mov lr, r3\n"
      "1:\n"
      HEED_KEY("0", "s2", "s3") HEED_KEY("4", "s4", "s5") HEED_KEY("8", "s6", "s7") HEED_KEY("12", "s8", "s9")
      HEED_KEY("16", "s10", "s11") HEED_KEY("20", "s12", "s13") HEED_KEY("24", "s14", "s15")
      HEED_KEY("28", "s16", "s17")
      "ldmia sp, {r2, r3, r12}\n"
      "vldmia r2!, {s18-s25}\n"
      HEED_SCORES("s2", "s3", "s18", "s26") HEED_SCORES("s4", "s5", "s19", "s27")
      HEED_SCORES("s6", "s7", "s20", "s28") HEED_SCORES("s8", "s9", "s21", "s29")
      HEED_SCORES("s10", "s11", "s22", "s2") HEED_SCORES("s12", "s13", "s23", "s3")
      HEED_SCORES("s14", "s15", "s24", "s4") HEED_SCORES("s16", "s17", "s25", "s5")
      "vstmia r3!, {s26-s29}\n"
      "vstmia r3!, {s2-s5}\n"
      "vstmia r12!, {s18-s25}\n"
      "stmia sp, {r2, r3, r12}\n"
      "add r0, #32\n"
      "tst r0, #32\n"
      "bne 1b\n"
      "ldr r2, [sp, #12]\n"
      "add r0, #64\n"
      "subs r2, #1\n"
      "str r2, [sp, #12]\n"
      "bne 1b\n"
      "add sp, #20\n"
      "vpop {s16-s29}\n"
      "pop {r4-r11, pc}");
}
// clang-format on
#undef HEED_KEY
#undef HEED_SCORES

}  // namespace heed::detail
