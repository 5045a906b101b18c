// SPDX-License-Identifier: MIT
//
// Sums of integers times scales, for sixteen outputs, straight ahead: 36 instructions for each, where a compiler takes
// 45. What the first 32 bits of a product are not enough to round by, and what is not normal, is left out.
#pragma once

#include <cstdint>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// A row's scale, as its range and its mantissa at the top.
struct ScaleOfSums {
  std::uint32_t least;  ///< the bits of the least scale
  std::uint32_t count;  ///< of bits from there on
  std::uint32_t mantissa;
  std::int32_t exponent;  ///< what a result's is above a scale's
};

[[nodiscard, gnu::always_inline]] inline ScaleOfSums scale_of_sums(const port::RowScale& row) noexcept {
  return {row.least, row.count, row.mantissa, row.exponent - 95};
}

// r11 is the sign bit; r2 a scale, then the factor; r12 the sum; lr the exponent.
#define HEED_ONE_SUM(left_out)  \
  "ldr r2, [r1], #4\n"          \
  "ldr r12, [r0], #4\n"         \
  "sub r9, r2, r4\n"            \
  "cmp r9, r5\n"                \
  "bhs " left_out               \
  "\n"                          \
  "add lr, r7, r2, lsr #23\n"   \
  "orr r2, r11, r2, lsl #8\n"   \
  "umull r9, r2, r2, r6\n"      \
  "clz r9, r2\n"                \
  "lsl r2, r2, r9\n"            \
  "sub lr, lr, r9\n"            \
  "adds r2, r2, #128\n"         \
  "bcs " left_out               \
  "\n"                          \
  "lsls r10, r2, #24\n"         \
  "beq " left_out               \
  "\n"                          \
  "bic r2, r2, #255\n"          \
  "eor r9, r12, r12, asr #31\n" \
  "sub r9, r9, r12, asr #31\n"  \
  "clz r10, r9\n"               \
  "lsl r9, r9, r10\n"           \
  "sub lr, lr, r10\n"           \
  "subs r10, #8\n"              \
  "cmp r10, #24\n"              \
  "bhs " left_out               \
  "\n"                          \
  "umull r10, r9, r2, r9\n"     \
  "clz r10, r9\n"               \
  "lsl r9, r9, r10\n"           \
  "sub lr, lr, r10\n"           \
  "lsls r10, r9, #24\n"         \
  "cmp r10, r11\n"              \
  "beq " left_out               \
  "\n"                          \
  "lsrs r9, r9, #8\n"           \
  "adc r9, r9, lr, lsl #23\n"   \
  "bfi r12, r9, #0, #31\n"      \
  "str r12, [r3], #4\n"
// How many outputs are left, this one among them, is its bit.
#define HEED_LEFT_OUT  \
  "sub r9, r8, r3\n"   \
  "lsrs r9, r9, #2\n"  \
  "mov r10, #1\n"      \
  "lsl r10, r10, r9\n" \
  "ldr r9, [sp]\n"     \
  "orr r9, r9, r10\n"  \
  "str r9, [sp]\n"     \
  "add r3, r3, #4\n"

/// y [16] = sums * scales * row; returns a word whose bit 16 - i says that output i was left out.
[[gnu::naked, gnu::noinline]] inline std::uint32_t scaled_sums(const std::int32_t*, const float*, const ScaleOfSums*,
                                                               float*) noexcept {
  asm("push {r4-r11, lr}\n"
      "ldm r2, {r4-r7}\n"
      "movs r2, #0\n"
      "push {r2}\n"
      "add r8, r3, #64\n"
      "mov r11, #0x80000000\n"
      "1:\n" HEED_ONE_SUM("7f") "2:\n" HEED_ONE_SUM("8f") "3:\n"
      "cmp r3, r8\n"
      "bne 1b\n"
      "pop {r0}\n"
      "pop {r4-r11, pc}\n"
      "7:\n" HEED_LEFT_OUT "b 2b\n"
      "8:\n" HEED_LEFT_OUT "b 3b\n");
}
#undef HEED_LEFT_OUT
#undef HEED_ONE_SUM

}  // namespace heed::detail
