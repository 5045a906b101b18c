// SPDX-License-Identifier: MIT
//
// Products of weights of 15 bits and values of 8 bits, over 112 keys: of a weight 256 h + l, both of 8 bits, each meets
// sixteen values in an instruction, where one of 16 bits would meet eight, which have to be widened.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

#include "integer_tiles.hpp"
#include "many_row_steps.hpp"
#include "many_rows.hpp"

namespace heed::detail {

/// Keys of a product.
inline constexpr std::uint32_t weighed_keys = 112;

/// Four rows and two channels: sums of a row lie side by side.
struct WeighedSums {
  const std::byte* high;  ///< of the second row, whose neighbours lie 112 bytes apart
  const std::byte* low;
  std::int32_t of_high[8];
  std::int32_t of_low[8];
};
static_assert(sizeof(WeighedSums) == 72 && offsetof(WeighedSums, of_high) == 8 && offsetof(WeighedSums, of_low) == 40);

// clang-format off
#define HEED_PUT_PAIR(quad, first, second)          \
  HEED_MANY_LOAD(first, "-256]!") HEED_MANY_LOAD(second, "4]")                          \
  HEED_MANY_PUT(first, "2 * " quad) HEED_MANY_PUT(second, "(2 * " quad " + 1)")
#define HEED_TAKE_PAIR(quad, first, second)         \
  HEED_MANY_TAKE(first, "2 * " quad) HEED_MANY_TAKE(second, "(2 * " quad " + 1)")
#define HEED_ROWS(kind, from, quad, first, second)                                \
  HEED_MANY_ROW(kind, from ", #-112 + 16 * " quad, first, second, "r0", "r2")          \
  HEED_MANY_ROW(kind, from ", #16 * " quad, first, second, "r4", "r6")                 \
  HEED_MANY_ROW(kind, from ", #112 + 16 * " quad, first, second, "r8", "r10")          \
  HEED_MANY_ROW(kind, from ", #224 + 16 * " quad, first, second, "r12", "lr")

/// Sums of eight channels. Of the fourteen quads of values of two channels, those stay in q0 to q6 that rows met last:
/// their high halves take them from the first keys on, and their low ones back again.
[[gnu::noinline]] inline void sum_weighed_rows(ManyRows& rows, WeighedSums* sums) noexcept {
  register std::uint32_t(*const values)[4] asm("r1") = rows.weights;
  register WeighedSums* to asm("r11") = sums;
  asm volatile(
      "str r7, [r1, #-4]\n"
      "ldr r9, [r1, #-8]\n"
      "mov r7, r11\n"
      "1:\n"
      "vldrw.u32 q7, [r1, #-32]\n"
      "vmov.i16 q6, #0x80\n"
      HEED_PUT_PAIR("6", "q0", "q1") HEED_PUT_PAIR("5", "q2", "q3") HEED_PUT_PAIR("4", "q4", "q5")
      HEED_PUT_PAIR("3", "q0", "q1") HEED_PUT_PAIR("2", "q4", "q5") HEED_PUT_PAIR("1", "q2", "q3")
      HEED_PUT_PAIR("0", "q0", "q1")
      "movw r0, #7 * 256 + 8\n"
      "vadd.i32 q7, q7, r0\n"
      "vstrw.32 q7, [r1, #-32]\n"
      HEED_MANY_TAKE("q6", "6")
      "ldr r0, [r1, #-12]\n"
      "add r7, r7, r0\n"
      "2:\n"
      "ldrd r3, r5, [r11], #8\n"
      HEED_ROWS("vmladav.s8", "r3", "0", "q0", "q1")
      HEED_ROWS("vmladava.s8", "r3", "1", "q2", "q3")
      HEED_ROWS("vmladava.s8", "r3", "2", "q4", "q5")
      HEED_MANY_TAKE("q0", "7") HEED_ROWS("vmladava.s8", "r3", "3", "q6", "q0")
      HEED_TAKE_PAIR("4", "q1", "q2") HEED_ROWS("vmladava.s8", "r3", "4", "q1", "q2")
      HEED_TAKE_PAIR("5", "q3", "q4") HEED_ROWS("vmladava.s8", "r3", "5", "q3", "q4")
      HEED_TAKE_PAIR("6", "q5", "q6") HEED_ROWS("vmladava.s8", "r3", "6", "q5", "q6")
      HEED_MANY_STORE_SUMS
      HEED_ROWS("vmladav.s8", "r5", "6", "q5", "q6")
      HEED_ROWS("vmladava.s8", "r5", "5", "q3", "q4")
      HEED_ROWS("vmladava.s8", "r5", "4", "q1", "q2")
      HEED_MANY_TAKE("q6", "6") HEED_ROWS("vmladava.s8", "r5", "3", "q6", "q0")
      HEED_TAKE_PAIR("2", "q4", "q5") HEED_ROWS("vmladava.s8", "r5", "2", "q4", "q5")
      HEED_TAKE_PAIR("1", "q2", "q3") HEED_ROWS("vmladava.s8", "r5", "1", "q2", "q3")
      HEED_TAKE_PAIR("0", "q0", "q1") HEED_ROWS("vmladava.s8", "r5", "0", "q0", "q1")
      HEED_MANY_STORE_SUMS
      "cmp r11, r7\n"
      "bne 2b\n"
      "subs r9, #1\n"
      "bne 1b\n"
      "ldr r7, [r1, #-4]\n"
      : "+r"(to)
      : "r"(values)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
        "q4", "q5", "q6", "q7");
}

#define HEED_OUTPUTS(y, row_scale, sums, low, high)  \
  "vldrd.u64 q4, [" sums ", #" low "\n"             \
  "vldrd.u64 q5, [" sums ", #" high "]\n"           \
  "vmla.s32 q4, q5, r3\n"                           \
  "vcvt.f32.s32 q4, q4\n"                           \
  "vmul.f32 q4, q4, " row_scale "\n"                \
  "vstrw.32 q4, [" y "], #16\n"
#define HEED_EIGHT_OUTPUTS(y, row_scale, low, high)  \
  HEED_OUTPUTS(y, row_scale, "q6", low, high)        \
  HEED_OUTPUTS(y, row_scale, "q7", low, high)

/// y = float(256 * sum of high halves + sum of low ones) * row_scale, of eight channels.
[[gnu::noinline]] inline void outputs_of_weighed_rows(ManyRows& rows) noexcept {
  register FourOutputs* four asm("r11") = rows.outputs;
  register const std::uint32_t(*sums)[4] asm("r9") = rows.sums_at;
  register std::uint32_t high asm("r3") = 256;
  register std::uint32_t count asm("r10") = rows.fours;
  asm volatile(
      "dls lr, r10\n"
      "vldrw.u32 q6, [r9]\n"
      "vldrw.u32 q7, [r9, #16]\n"
      "1:\n"
      "ldrd r4, r6, [r11]\n"
      "ldrd r8, r10, [r11, #8]\n"
      "ldrd r0, r2, [r11, #16]\n"
      "ldrd r5, r12, [r11, #24]\n"
      HEED_EIGHT_OUTPUTS("r4", "r0", "72]!", "-32")
      HEED_EIGHT_OUTPUTS("r6", "r2", "8]", "-24")
      HEED_EIGHT_OUTPUTS("r8", "r5", "16]", "-16")
      HEED_EIGHT_OUTPUTS("r10", "r12", "24]", "-8")
      "strd r8, r10, [r11, #8]\n"
      "strd r4, r6, [r11], #32\n"
      "le lr, 1b\n"
      : "+r"(four), "+r"(sums), "+r"(high), "+r"(count)
      :
      : "memory", "lr", "r0", "r2", "r4", "r5", "r6", "r8", "r12", "q4", "q5", "q6", "q7");
}

/// Of 16 `sixteens` numbers times `factor`, rounded, the halves.
[[gnu::always_inline]] inline void store_halves(const float* x, float factor, std::uint32_t sixteens, std::byte* high,
                                                std::byte* low) noexcept {
#define HEED_FOUR_NUMBERS           \
  "vldrw.u32 q0, [%[x]], #16\n"     \
  "vmul.f32 q0, q0, %[factor]\n"    \
  "vadd.f32 q0, q0, %[shift]\n"     \
  "vrshr.s32 q1, q0, #8\n"          \
  "vstrb.32 q0, [%[low]], #4\n"     \
  "vstrb.32 q1, [%[high]], #4\n"
  asm volatile(
      "dls lr, %[sixteens]\n"
      "1:\n" HEED_FOUR_NUMBERS HEED_FOUR_NUMBERS HEED_FOUR_NUMBERS HEED_FOUR_NUMBERS
      "le lr, 1b\n"
      : [x] "+r"(x), [low] "+l"(low), [high] "+l"(high)
      : [sixteens] "r"(sixteens), [factor] "r"(factor), [shift] "r"(12582912.0F)
      : "memory", "lr", "q0", "q1");
#undef HEED_FOUR_NUMBERS
}

// clang-format on
#undef HEED_PUT_PAIR
#undef HEED_TAKE_PAIR
#undef HEED_ROWS
#undef HEED_OUTPUTS
#undef HEED_EIGHT_OUTPUTS

}  // namespace heed::detail
