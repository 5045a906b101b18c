// SPDX-License-Identifier: MIT
//
// Outputs of three rows that are joined and a matrix of bytes: with two outputs and three rows, seventeen instructions
// have twenty-four products, or nineteen where rows are of 16 bits. Three joined rows are their scales, what their sums
// start with, and of each four inputs the first words of the three rows, then their second words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "integer_steps.hpp"

namespace heed::detail {

/// Rows are joined up to so many inputs.
inline constexpr std::uint32_t joined_inputs = 256;

/// Two outputs of three rows, and then the next ones.
struct OutputTriples {
  const std::byte* weights;  // of whole panels, or from the wanted outputs on
  const std::byte* x;        // what sums start with, and numbers
  const float* scales;
  const float* bias;
  std::size_t bias_step;  // bytes from two to two: 8, or 0
  float* y;
  std::ptrdiff_t y_row;  // bytes
  std::uint32_t inputs;  // a multiple of 8
  std::uint32_t pairs;   // at least one
};
static_assert(sizeof(OutputTriples) == 36);

// clang-format off
#define HEED_SIX_SUMS                 \
  "ldmia r1!, {r2, r3, r12}\n"        \
  "smlad r4, r10, r2, r4\n"           \
  "smlad r5, r11, r2, r5\n"           \
  "smlad r6, r10, r3, r6\n"           \
  "smlad r7, r11, r3, r7\n"           \
  "smlad r8, r10, r12, r8\n"          \
  "smlad r9, r11, r12, r9\n"
#define HEED_THREE_BASE "64"
#define HEED_THREE_RAW(address)       \
  "ldrd r10, r11, " address "\n"      \
  HEED_SIX_SUMS                       \
  "uxtb16 r10, r10\n"                 \
  "uxtb16 r11, r11\n"                 \
  HEED_SIX_SUMS
#define HEED_PAIR_THREE_RAW(at) HEED_THREE_RAW("[r0, #128*" at "+64]") HEED_THREE_RAW("[r0, #128*" at "+128]")
#define HEED_LAST_THREE_RAW HEED_THREE_RAW("[r0, #448]") HEED_THREE_RAW("[r0, #512]!")
// Rows of 16 bits: even bytes without a sign, then odd bytes with one.
#define HEED_THREE_SUMS(word, sum0, sum1, sum2) \
  "smlad " sum0 ", " word ", r2, " sum0 "\n"    \
  "smlad " sum1 ", " word ", r3, " sum1 "\n"    \
  "smlad " sum2 ", " word ", r12, " sum2 "\n"
#define HEED_THREE_BYTES(address)       \
  "ldrd r10, r11, " address "\n"        \
  "ldmia r1!, {r2, r3, r12}\n"          \
  "uxtb16 lr, r10\n"                    \
  HEED_THREE_SUMS("lr", "r4", "r6", "r8") \
  "uxtb16 lr, r11\n"                    \
  HEED_THREE_SUMS("lr", "r5", "r7", "r9") \
  "ldmia r1!, {r2, r3, r12}\n"          \
  "sxtb16 r10, r10, ror #8\n"           \
  "sxtb16 r11, r11, ror #8\n"           \
  HEED_THREE_SUMS("r10", "r4", "r6", "r8") \
  HEED_THREE_SUMS("r11", "r5", "r7", "r9")
#define HEED_PAIR_THREE_BYTES(at) HEED_THREE_BYTES("[r0, #128*" at "+64]") HEED_THREE_BYTES("[r0, #128*" at "+128]")
#define HEED_LAST_THREE_BYTES HEED_THREE_BYTES("[r0, #448]") HEED_THREE_BYTES("[r0, #512]!")
#define HEED_OUTPUTS(bits, y0, y1, row_scale) \
  "vmul.f32 s18, s16, " row_scale "\n"  \
  "vmul.f32 s19, s17, " row_scale "\n"  \
  "vcvt.f32.s32 " y0 ", " y0 bits "\n"   \
  "vcvt.f32.s32 " y1 ", " y1 bits "\n"   \
  "vmul.f32 " y0 ", " y0 ", s18\n"      \
  "vmul.f32 " y1 ", " y1 ", s19\n"      \
  "vadd.f32 " y0 ", s20, " y0 "\n"      \
  "vadd.f32 " y1 ", s21, " y1 "\n"

// On the stack: scales, outputs; bias, its step; what leads to the next weights; from row to row, and from panel to
// panel; the numbers, where a round of fewer inputs enters; how many outputs are done, and wanted; the end of the
// numbers. What sums start with is in s4-s9.
#define HEED_BEGIN_TRIPLES \
  "push {r4-r11, lr}\n" \
  "vpush {s16-s21}\n" \
  "sub sp, #52\n" \
  "ldrd r4, r6, [r0, #8]\n" \
  "ldrd r7, r5, [r0, #16]\n" \
  "ldrd r9, r12, [r0, #24]\n" \
  "ldr r3, [r0, #32]\n" \
  "ldrd r0, r1, [r0]\n" \
  "mov r2, #0\n" \
  "strd r2, r3, [sp, #40]\n" \
  "lsl r10, r12, #4\n" \
  "lsr r2, r12, #3\n" \
  "rsb r2, r2, #0\n" \
  "and r2, #3\n" \
  "sub r0, r0, r2, lsl #7\n" \
  "sub r0, #" HEED_THREE_BASE "\n" \
  "rsb r8, r10, #8\n" \
  "sub r8, r8, r2, lsl #7\n" \
  "sub r10, #64\n" \
  "stmia sp, {r4-r10}\n" \
  "ldmia r1!, {r4, r5, r6}\n" \
  "vmov s4, s5, r4, r4\n" \
  "vmov s6, s7, r5, r5\n" \
  "vmov s8, s9, r6, r6\n" \
  "strd r1, r2, [sp, #32]\n" \
  "add lr, r12, r12, lsl #1\n" \
  "add lr, r1, lr, lsl #1\n" \
  "str lr, [sp, #48]\n" \
  "6:\n" \
  "ldrd r1, r12, [sp, #32]\n" \
  "vmov r4, r5, s4, s5\n" \
  "vmov r6, r7, s6, s7\n" \
  "vmov r8, r9, s8, s9\n"
#define HEED_END_TRIPLES(bits) \
  "vmov s10, s11, r4, r5\n" \
  "vmov s12, s13, r6, r7\n" \
  "vmov s14, s15, r8, r9\n" \
  "ldmia sp, {r4-r10}\n" \
  "ldrd r2, r3, [sp, #40]\n" \
  "vldmia r4!, {s16-s17}\n" \
  "vldmia r6, {s20-s21}\n" \
  "add r6, r7\n" \
  HEED_OUTPUTS(bits, "s10", "s11", "s0") HEED_OUTPUTS(bits, "s12", "s13", "s1") HEED_OUTPUTS(bits, "s14", "s15", "s2") \
  "add r0, r8\n" \
  "add r12, r5, r9\n" \
  "vstmia r12, {s12-s13}\n" \
  "add r12, r9\n" \
  "vstmia r12, {s14-s15}\n" \
  "vstmia r5!, {s10-s11}\n" \
  "stmia sp, {r4-r6}\n" \
  "add r2, #1\n" \
  "str r2, [sp, #40]\n" \
  "tst r2, #7\n" \
  "bne 7f\n" \
  "add r0, r10\n" \
  "7:\n" \
  "cmp r2, r3\n" \
  "bne 6b\n" \
  "add sp, #52\n" \
  "vpop {s16-s21}\n" \
  "pop {r4-r11, pc}"

[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void pairs_of_three_rows(const OutputTriples&, float /*row_scale*/, float /*next_scale*/,
                                               float /*last_scale*/) noexcept {
  asm(HEED_BEGIN_TRIPLES HEED_LONG_ROUND(HEED_PAIR_THREE_RAW, HEED_LAST_THREE_RAW)
      "cmp r1, lr\n"
      "bne 1b\n"
      HEED_END_TRIPLES(", #8"));
}

/// The same of rows of 16 bits, whose sums are what they stand for.
[[gnu::naked, gnu::pcs("aapcs-vfp")]] inline void pairs_of_three_long_rows(const OutputTriples&, float /*row_scale*/, float /*next_scale*/,
                                                    float /*last_scale*/) noexcept {
  asm(HEED_BEGIN_TRIPLES HEED_LONG_ROUND(HEED_PAIR_THREE_BYTES, HEED_LAST_THREE_BYTES)
      "ldr r2, [sp, #48]\n"
      "cmp r1, r2\n"
      "bne 1b\n"
      HEED_END_TRIPLES(""));
}

/// Copies words, `sixteens` times those of sixteen inputs, at least once.
[[gnu::always_inline]] inline void copy_words(const std::uint32_t* from, std::uint32_t* to,
                                              std::uint32_t sixteens) noexcept {
  asm volatile(
      "1:\n"
      "ldmia %[from]!, {r2-r5}\n"
      "stmia %[to]!, {r2-r5}\n"
      "ldmia %[from]!, {r2-r5}\n"
      "stmia %[to]!, {r2-r5}\n"
      "subs %[sixteens], #1\n"
      "bne 1b\n"
      : [from] "+r"(from), [to] "+r"(to), [sixteens] "+r"(sixteens)
      :
      : "memory", "cc", "r2", "r3", "r4", "r5");
}

/// `eights` times four words of each of three rows, in turn.
[[gnu::naked, gnu::noinline]] inline void join_words(const std::uint32_t*, const std::uint32_t*, const std::uint32_t*,
                                                     std::uint32_t*, std::uint32_t /*eights*/) noexcept {
  asm("push {r4-r9, lr}\n"
      "ldr lr, [sp, #28]\n"
      "1:\n"
      "ldrd r4, r7, [r0], #8\n"
      "ldrd r5, r8, [r1], #8\n"
      "ldrd r6, r9, [r2], #8\n"
      "stmia r3!, {r4-r9}\n"
      "ldrd r4, r7, [r0], #8\n"
      "ldrd r5, r8, [r1], #8\n"
      "ldrd r6, r9, [r2], #8\n"
      "stmia r3!, {r4-r9}\n"
      "subs lr, #1\n"
      "bne 1b\n"
      "pop {r4-r9, pc}\n");
}

/// Joins three rows of at most joined_inputs, `row_bytes` apart.
[[gnu::noinline]] inline void join_three_rows(std::byte* row, std::size_t row_bytes, std::uint32_t inputs) noexcept {
  constexpr std::size_t header_words = 5;  // a scale, three words, what the sum starts with
  struct Rows {
    std::uint32_t head[3][header_words];
    std::uint32_t numbers[2][joined_inputs / 2];
  } rows;
  std::uint32_t eights = (inputs + 7) / 8;
  auto* to = reinterpret_cast<std::uint32_t*>(row);
  const std::uint32_t* last = nullptr;
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto* from = reinterpret_cast<const std::uint32_t*>(row + r * row_bytes);
    for (std::size_t i = 0; i < header_words; ++i) rows.head[r][i] = *from++;
    if (r < 2) copy_words(from, rows.numbers[r], (eights + 1) / 2);
    last = from;
  }
  for (std::uint32_t r = 0; r < 3; ++r) to[r] = rows.head[r][0];
  for (std::uint32_t r = 0; r < 3; ++r) to[3 + r] = rows.head[r][4];
  to += 6;
  const std::uint32_t* first = rows.numbers[0];
  const std::uint32_t* second = rows.numbers[1];
  join_words(first, second, last, to, eights);
}
// clang-format on
#undef HEED_SIX_SUMS
#undef HEED_THREE_RAW
#undef HEED_PAIR_THREE_RAW
#undef HEED_LAST_THREE_RAW
#undef HEED_THREE_BASE
#undef HEED_THREE_SUMS
#undef HEED_THREE_BYTES
#undef HEED_PAIR_THREE_BYTES
#undef HEED_LAST_THREE_BYTES
#undef HEED_BEGIN_TRIPLES
#undef HEED_END_TRIPLES
#undef HEED_OUTPUTS

}  // namespace heed::detail
