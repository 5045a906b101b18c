// SPDX-License-Identifier: MIT
//
// Sums of products of integers over one run of a row: four in r4-r7, of four outputs, or of two outputs and two rows;
// and those of a whole panel, by eight outputs where bytes meet bytes, else by four, or by two and two rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/kernel_contract.hpp"
#include "integer_steps.hpp"

namespace heed::detail {

/// sums [4] from `pairs` times eight inputs, at least once; `row_bytes` from `x` on is the second row, if there is one.
using IntegerTile = void(const std::byte* weights, const std::byte* x, std::uint32_t pairs, std::int32_t* sums,
                         std::size_t row_bytes) noexcept;

/// Sums of a product whose inputs are one run, at least eight of them, shifted to what they stand for. More of them may
/// be stored than are wanted, up to sixteen of a row.
using IntegerPanel = void(const IntegerProduct& product) noexcept;
static_assert(offsetof(IntegerProduct, first_row) == 8 && offsetof(IntegerProduct, row_bytes) == 12);
static_assert(offsetof(IntegerProduct, inputs) == 24 && offsetof(IntegerProduct, sums) == 32);
static_assert(sizeof(IntegerProduct) == 36 && offsetof(IntegerProduct, outputs) == 28);

// clang-format off
// On the stack of a panel: weights, from where a round of fewer inputs enters, rows, sums, how many are left, and the end
// of the row.
#ifdef __OPTIMIZE_SIZE__
#define HEED_FIRST_ROUND
#else
#define HEED_FIRST_ROUND "rsb r12, r4, #0\n" "and r12, #3\n" "sub r0, r0, r12, lsl #7\n"
#endif
#define HEED_BEGIN_PANEL             \
  "push {r4-r11, lr}\n"              \
  "sub sp, #28\n"                    \
  "ldrd r1, r3, [r0, #8]\n"          \
  "ldrd r4, r5, [r0, #24]\n"         \
  "add r1, #16\n"                    \
  "add r3, r1\n"                     \
  "lsr r4, #3\n"                     \
  "ldr r6, [r0, #32]\n"              \
  "ldr r0, [r0]\n"                   \
  "add r2, r1, r4, lsl #4\n"         \
  "add r2, #4\n"                     \
  HEED_FIRST_ROUND                   \
  "strd r1, r3, [sp, #8]\n"          \
  "strd r6, r5, [sp, #16]\n"         \
  "str r2, [sp, #24]\n"              \
  "strd r0, r12, [sp]\n"             \
  "6:\n"                             \
  "ldrd r0, r12, [sp]\n"
#define HEED_START_ONE_ROW "ldr r1, [sp, #8]\n" HEED_START_ONE
#define HEED_START_TWO_ROWS    \
  "ldrd r1, r3, [sp, #8]\n"    \
  "ldr r4, [r1], #4\n"         \
  "ldr r6, [r3], #4\n"         \
  "mov r5, r4\n"               \
  "mov r7, r6\n"
#ifdef __OPTIMIZE_SIZE__
// Four inputs a round.
#define HEED_PANEL_ROUND(PAIR, FOUR) HEED_ROUND(FOUR)
#define HEED_NEXT_PANEL_WEIGHTS HEED_NEXT_WEIGHTS("6")
#else
#define HEED_PANEL_ROUND(PAIR, FOUR) HEED_ROUND(PAIR)
#define HEED_NEXT_PANEL_WEIGHTS HEED_NEXT_WEIGHTS("7")
#endif
#define HEED_REPEAT_ON "ldr r2, [sp, #24]\n" "cmp r1, r2\n" "bne 1b\n"
#define HEED_REPEAT_PANEL HEED_NEXT_PANEL_WEIGHTS HEED_REPEAT_ON
// To the next outputs, whose weights are four bytes after these.
#define HEED_END_PANEL(outputs, weight_bytes)  \
  "subs r1, #" outputs "\n"          \
  "ble 7f\n"                         \
  "strd r0, r1, [sp, #16]\n"         \
  "ldr r0, [sp]\n"                   \
  "add r0, #" weight_bytes "\n"      \
  "str r0, [sp]\n"                   \
  "b 6b\n"                           \
  "7:\n"                             \
  "add sp, #28\n"                    \
  "pop {r4-r11, pc}"
#define HEED_SHIFT_SUMS "asr r4, #8\n" "asr r5, #8\n" "asr r6, #8\n" "asr r7, #8\n"
#define HEED_SHIFT_MORE_SUMS "asr r8, #8\n" "asr r9, #8\n" "asr r10, #8\n" "asr r11, #8\n"
#define HEED_END_EIGHT "ldrd r0, r1, [sp, #16]\n" "stmia r0!, {r4-r11}\n" HEED_END_PANEL("8", "32")
#define HEED_END_FOUR "ldrd r0, r1, [sp, #16]\n" "stmia r0!, {r4-r7}\n" HEED_END_PANEL("4", "16")
#define HEED_END_TWO                \
  "ldrd r0, r1, [sp, #16]\n"        \
  "strd r6, r7, [r0, #64]\n"        \
  "strd r4, r5, [r0], #8\n"         \
  HEED_END_PANEL("2", "8")

/// Bytes times bytes: 256 times the sums.
[[gnu::naked]] inline void four_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                             std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_RAW) HEED_NEXT_WEIGHTS("7") HEED_REPEAT_ROUND
      HEED_END);
}
[[gnu::naked]] inline void two_by_two_of_raw_words(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                                   std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_TWO("44") HEED_ENTER("7") HEED_ROUND(HEED_PAIR_TWO_RAW) HEED_NEXT_WEIGHTS("7") HEED_REPEAT_ROUND
      HEED_END);
}

/// Bytes times 16 bits.
[[gnu::naked]] inline void four_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                         std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("7") HEED_ROUND(HEED_PAIR_FOUR_BYTES) HEED_NEXT_WEIGHTS("7") HEED_REPEAT_ROUND
      HEED_END);
}
[[gnu::naked]] inline void two_by_two_of_bytes(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                               std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_TWO("44") HEED_ENTER("7") HEED_KEEP_COUNT("0") HEED_ROUND(HEED_PAIR_TWO_BYTES)
      HEED_NEXT_WEIGHTS("7") HEED_REPEAT_KEPT("0") HEED_END);
}

/// Bytes times bytes.
[[gnu::naked]] inline void panel_of_raw_words(const IntegerProduct&) noexcept {
#ifdef __OPTIMIZE_SIZE__
  asm(HEED_BEGIN_PANEL HEED_START_ONE_ROW HEED_ROUND(HEED_FOUR_RAW) HEED_REPEAT_PANEL HEED_SHIFT_SUMS
      HEED_END_FOUR);
#else
  asm(HEED_BEGIN_PANEL HEED_START_EIGHT "sub r0, #" HEED_EIGHT_BASE "\n" HEED_ROUND_OF_EIGHT HEED_REPEAT_ON
      HEED_SHIFT_SUMS HEED_SHIFT_MORE_SUMS HEED_END_EIGHT);
#endif
}
[[gnu::naked]] inline void two_rows_of_raw_words(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_PANEL HEED_START_TWO_ROWS HEED_PANEL_ROUND(HEED_PAIR_TWO_RAW, HEED_TWO_RAW) HEED_REPEAT_PANEL
      HEED_SHIFT_SUMS HEED_END_TWO);
}

/// Bytes times 16 bits.
[[gnu::naked]] inline void panel_of_bytes(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_PANEL HEED_START_ONE_ROW HEED_PANEL_ROUND(HEED_PAIR_FOUR_BYTES, HEED_FOUR_OF_BYTES)
      HEED_REPEAT_PANEL HEED_END_FOUR);
}
[[gnu::naked]] inline void two_rows_of_bytes(const IntegerProduct&) noexcept {
  asm(HEED_BEGIN_PANEL HEED_START_TWO_ROWS HEED_PANEL_ROUND(HEED_PAIR_TWO_BYTES, HEED_TWO_BYTES) HEED_REPEAT_PANEL
      HEED_END_TWO);
}

/// Scores of two rows of bytes, whose scales are given, and the sixteen keys of a panel, `score_row` bytes apart: the
/// sums are 256 times what they stand for.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void score_two_rows(const IntegerProduct&, const float* /*scales*/, float* /*scores*/,
                                          std::ptrdiff_t /*score_row*/, float, float) noexcept {
  asm("push {r4-r11, lr}\n"
      "sub sp, #32\n"
      "strd r1, r2, [sp, #16]\n"
      "add r1, #64\n"
      "strd r3, r1, [sp, #24]\n"
      "ldrd r1, r3, [r0, #8]\n"
      "ldr r2, [r0, #24]\n"
      "add r1, #16\n"
      "add r3, r1\n"
      "ldr r4, [r1], #4\n"
      "ldr r5, [r3], #4\n"
      "vmov s2, s3, r4, r4\n"
      "vmov s4, s5, r5, r5\n"
      "strd r1, r3, [sp, #8]\n"
      "lsl r4, r2, #4\n"
      "sub r4, #8\n"
      "str r4, [sp]\n"
      "add r2, r1, r2, lsl #1\n"
      "ldr r0, [r0]\n"
      "6:\n"
      "ldrd r1, r3, [sp, #8]\n"
      "vmov r4, r5, s2, s3\n"
      "vmov r6, r7, s4, s5\n"
      "1:\n"
      HEED_PAIR_TWO_RAW("0")
      "add r0, #128\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      "vmov s8, s9, r4, r5\n"
      "vmov s10, s11, r6, r7\n"
      "ldr r8, [sp]\n"
      "sub r0, r8\n"
      "ldrd r4, r5, [sp, #16]\n"
      "ldrd r6, r7, [sp, #24]\n"
      "vldmia r4!, {s6-s7}\n"
      "vcvt.f32.s32 s8, s8, #8\n"
      "vcvt.f32.s32 s9, s9, #8\n"
      "vcvt.f32.s32 s10, s10, #8\n"
      "vcvt.f32.s32 s11, s11, #8\n"
      "vmul.f32 s12, s6, s0\n"
      "vmul.f32 s13, s7, s0\n"
      "vmul.f32 s14, s6, s1\n"
      "vmul.f32 s15, s7, s1\n"
      "vmul.f32 s8, s8, s12\n"
      "vmul.f32 s9, s9, s13\n"
      "vmul.f32 s10, s10, s14\n"
      "vmul.f32 s11, s11, s15\n"
      "add r6, r5\n"
      "vstmia r6, {s10-s11}\n"
      "vstmia r5!, {s8-s9}\n"
      "strd r4, r5, [sp, #16]\n"
      "cmp r4, r7\n"
      "bne 6b\n"
      "add sp, #32\n"
      "pop {r4-r11, pc}");
}

/// Nibbles times 16 bits.
[[gnu::naked]] inline void four_of_nibbles(const std::byte*, const std::byte*, std::uint32_t, std::int32_t*,
                                           std::size_t) noexcept {
  asm(HEED_BEGIN HEED_START_ONE HEED_ENTER("6") HEED_KEEP_COUNT("0") "mov r2, #0x000F000F\n" HEED_ROUND(HEED_PAIR_NIBBLES)
      HEED_NEXT_WEIGHTS("6") HEED_REPEAT_KEPT("0") HEED_END);
}

// clang-format on
#undef HEED_FIRST_ROUND
#undef HEED_BEGIN_PANEL
#undef HEED_START_ONE_ROW
#undef HEED_START_TWO_ROWS
#undef HEED_REPEAT_ON
#undef HEED_REPEAT_PANEL
#undef HEED_PANEL_ROUND
#undef HEED_NEXT_PANEL_WEIGHTS
#undef HEED_END_PANEL
#undef HEED_SHIFT_SUMS
#undef HEED_SHIFT_MORE_SUMS
#undef HEED_END_EIGHT
#undef HEED_END_FOUR
#undef HEED_END_TWO

}  // namespace heed::detail
