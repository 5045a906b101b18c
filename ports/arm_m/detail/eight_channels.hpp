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
#define HEED_SCORES(sum0, sum1, scale, y0, y1) \
  "vcvt.f32.s32 " sum0 ", " sum0 ", #8\n"      \
  "vcvt.f32.s32 " sum1 ", " sum1 ", #8\n"      \
  "vmul.f32 " y0 ", " scale ", s0\n"           \
  "vmul.f32 " y1 ", " scale ", s1\n"           \
  "vmul.f32 " y0 ", " sum0 ", " y0 "\n"        \
  "vmul.f32 " y1 ", " sum1 ", " y1 "\n"

/// y = float(sum) * (scale of the key * scale of the row). On the stack: scales, scores of both rows; how many panels
/// are left.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void score_eight_channels(const EightChannels&, float /*row_scale*/,
                                                float /*next_scale*/) noexcept {
  asm("push {r4-r11, lr}\n"
      "vpush {s16-s23}\n"
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
      "ldmia sp, {r2, r3, r12}\n"
      "vldmia r2!, {s12-s15}\n"
      HEED_SCORES("s2", "s3", "s12", "s16", "s20") HEED_SCORES("s4", "s5", "s13", "s17", "s21")
      HEED_SCORES("s6", "s7", "s14", "s18", "s22") HEED_SCORES("s8", "s9", "s15", "s19", "s23")
      "vstmia r3!, {s16-s19}\n"
      "vstmia r12!, {s20-s23}\n"
      "stmia sp, {r2, r3, r12}\n"
      "add r0, #16\n"
      "tst r0, #48\n"
      "bne 1b\n"
      "ldr r2, [sp, #12]\n"
      "add r0, #64\n"
      "subs r2, #1\n"
      "str r2, [sp, #12]\n"
      "bne 1b\n"
      "add sp, #20\n"
      "vpop {s16-s23}\n"
      "pop {r4-r11, pc}");
}
// clang-format on
#undef HEED_KEY
#undef HEED_SCORES

}  // namespace heed::detail
