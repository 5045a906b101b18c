// SPDX-License-Identifier: MIT
//
// The loops of products of many rows: sums of four rows at a time with two outputs, whose weights stay in registers,
// and floats of eight outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "many_row_steps.hpp"

namespace heed::detail {

/// Outputs whose sums are kept until they become floats.
inline constexpr std::uint32_t outputs_of_many = 8;

/// Four rows and two outputs: sums of a row lie side by side.
struct FourSums {
  const std::byte* x[4];  ///< the rows' numbers; of rows of 64 inputs the second one's come first
  std::int32_t sums[8];
};

/// Where the outputs of four rows go next.
struct FourOutputs {
  float* y[4];
  float scale[4];
};

/// What the loops begin from. There is a core register for every operand of a loop and none beside, so that they are
/// chosen here.
struct ManyRows {
  std::uint32_t at[4];        ///< the addresses of words of the next two outputs
  const FourSums* end;        ///< of the two outputs' sums
  std::uint32_t fours_bytes;  ///< of two outputs
  std::uint32_t pairs;        ///< of outputs that are left
  std::uint32_t frame;  ///< r7 around the loops: it may point to a frame, so that no list of what they change has it
  std::uint32_t weights[32][4];  ///< of two outputs in turns, those that no register holds
  std::uint32_t sums_at[2][4];   ///< double words: 48 bytes before the first row's sums of two outputs and the next two
  FourSums* sums;                ///< [4 pairs, fours]
  FourOutputs* outputs;          ///< [fours]
  std::uint32_t fours;           ///< of rows
};
// From `weights` on.
static_assert(offsetof(ManyRows, weights) == 32 && offsetof(ManyRows, end) == 16 && offsetof(ManyRows, frame) == 28);
static_assert(sizeof(FourSums) == 48 && offsetof(FourSums, sums) == 16);

// clang-format off
// Rows of 64 inputs lie 192 bytes apart, so that all of four are in reach of the second one.
#define HEED_NEAR_ROWS(kind, quad, first, second)                                  \
  HEED_MANY_ROW(kind, "r3, #-192 + 16 * " quad, first, second, "r0", "r2")              \
  HEED_MANY_ROW(kind, "r3, #16 * " quad, first, second, "r4", "r6")                     \
  HEED_MANY_ROW(kind, "r3, #192 + 16 * " quad, first, second, "r8", "r10")              \
  HEED_MANY_ROW(kind, "r3, #384 + 16 * " quad, first, second, "r12", "lr")

/// Sums of eight outputs over the 64 inputs of rows. Seven of the eight quads of weights of two outputs stay in q0 to
/// q6: four rows take them from the first one to the last, and the next four back again.
[[gnu::noinline]] inline void sum_near_rows(ManyRows& rows) noexcept {
  register std::uint32_t(*const weights)[4] asm("r1") = rows.weights;
  register FourSums* fours asm("r11") = rows.sums;
  asm volatile(
      "str r7, [r1, #-4]\n"
      "ldrd r7, r9, [r1, #-12]\n"
      "mov r5, r11\n"
      "1:\n"
      "vldrw.u32 q7, [r1, #-32]\n"
      "vmov.i16 q6, #0x80\n"
      HEED_MANY_LOAD("q3", "-244]!") HEED_MANY_LOAD("q0", "508]") HEED_MANY_PUT("q0", "6")
      HEED_MANY_LOAD("q0", "-260]") HEED_MANY_PUT("q0", "0")
      HEED_MANY_LOAD("q1", "-256]") HEED_MANY_LOAD("q2", "-4]")
      HEED_MANY_LOAD("q4", "252]!") HEED_MANY_LOAD("q5", "260]") HEED_MANY_PUT("q5", "7") HEED_MANY_LOAD("q5", "4]")
      "vstrw.32 q7, [r1, #-32]\n"
      HEED_MANY_TAKE("q6", "6")
      "add r5, r5, r7\n"
      // Whether the fours are odd.
      "lsls r0, r7, #28\n"
      "bcc 2f\n"
      HEED_MANY_TAKE("q0", "7")
      "b 3f\n"
      "2:\n"
      "ldr r3, [r11], #16\n"
      HEED_NEAR_ROWS("vmladav.s8", "0", "q0", "q1")
      HEED_MANY_TAKE("q0", "7")
      HEED_NEAR_ROWS("vmladava.s8", "1", "q2", "q3")
      HEED_NEAR_ROWS("vmladava.s8", "2", "q4", "q5")
      HEED_NEAR_ROWS("vmladava.s8", "3", "q6", "q0")
      HEED_MANY_STORE_SUMS
      "3:\n"
      "ldr r3, [r11], #16\n"
      HEED_NEAR_ROWS("vmladav.s8", "3", "q6", "q0")
      HEED_MANY_TAKE("q0", "0")
      HEED_NEAR_ROWS("vmladava.s8", "2", "q4", "q5")
      HEED_NEAR_ROWS("vmladava.s8", "1", "q2", "q3")
      HEED_NEAR_ROWS("vmladava.s8", "0", "q0", "q1")
      HEED_MANY_STORE_SUMS
      "cmp r11, r5\n"
      "bne 2b\n"
      "subs r9, #1\n"
      "bne 1b\n"
      "ldr r7, [r1, #-4]\n"
      : "+r"(fours)
      : "r"(weights)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
        "q4", "q5", "q6", "q7");
}

#define HEED_FAR_ROWS(kind, quad, first, second)                   \
  HEED_MANY_ROW(kind, "r3, #16 * " quad, first, second, "r0", "r2")     \
  HEED_MANY_ROW(kind, "r5, #16 * " quad, first, second, "r4", "r6")     \
  HEED_MANY_ROW(kind, "r7, #16 * " quad, first, second, "r8", "r10")    \
  HEED_MANY_ROW(kind, "r9, #16 * " quad, first, second, "r12", "lr")
#define HEED_PUT_PAIR(quad)                         \
  HEED_MANY_LOAD("q0", "-256]!") HEED_MANY_LOAD("q1", "4]")                     \
  HEED_MANY_PUT("q0", "2 * " quad) HEED_MANY_PUT("q1", "(2 * " quad " + 1)")
#define HEED_TAKE_PAIR(quad)                        \
  HEED_MANY_TAKE("q5", "2 * " quad) HEED_MANY_TAKE("q6", "(2 * " quad " + 1)")  \
  HEED_FAR_ROWS("vmladava.s8", quad, "q5", "q6")

/// Likewise over 256 inputs of rows anywhere; five quads of weights stay in q0 to q4.
[[gnu::noinline]] inline void sum_far_rows(ManyRows& rows) noexcept {
  register std::uint32_t(*const weights)[4] asm("r1") = rows.weights;
  register FourSums* fours asm("r11") = rows.sums;
  asm volatile(
      "str r7, [r1, #-4]\n"
      "1:\n"
      "vldrw.u32 q7, [r1, #-32]\n"
      "vmov.i16 q6, #0x80\n"
      HEED_PUT_PAIR("15") HEED_PUT_PAIR("14") HEED_PUT_PAIR("13") HEED_PUT_PAIR("12") HEED_PUT_PAIR("11")
      HEED_PUT_PAIR("10") HEED_PUT_PAIR("9") HEED_PUT_PAIR("8") HEED_PUT_PAIR("7") HEED_PUT_PAIR("6")
      HEED_PUT_PAIR("5") HEED_PUT_PAIR("4") HEED_PUT_PAIR("3")
      HEED_MANY_LOAD("q4", "-256]!") HEED_MANY_LOAD("q5", "4]") HEED_MANY_PUT("q5", "5")
      HEED_MANY_LOAD("q2", "-256]!") HEED_MANY_LOAD("q3", "4]")
      HEED_MANY_LOAD("q0", "-256]!") HEED_MANY_LOAD("q1", "4]")
      "movw r0, #4096 + 8\n"
      "vadd.i32 q7, q7, r0\n"
      "vstrw.32 q7, [r1, #-32]\n"
      "ldrd r0, r2, [r1, #-16]\n"
      "add r0, r0, r2\n"
      "str r0, [r1, #-16]\n"
      "2:\n"
      "ldrd r3, r5, [r11], #8\n"
      "ldrd r7, r9, [r11], #8\n"
      HEED_FAR_ROWS("vmladav.s8", "0", "q0", "q1")
      HEED_FAR_ROWS("vmladava.s8", "1", "q2", "q3")
      HEED_MANY_TAKE("q5", "5")
      HEED_FAR_ROWS("vmladava.s8", "2", "q4", "q5")
      HEED_TAKE_PAIR("3") HEED_TAKE_PAIR("4") HEED_TAKE_PAIR("5") HEED_TAKE_PAIR("6") HEED_TAKE_PAIR("7")
      HEED_TAKE_PAIR("8") HEED_TAKE_PAIR("9") HEED_TAKE_PAIR("10") HEED_TAKE_PAIR("11") HEED_TAKE_PAIR("12")
      HEED_TAKE_PAIR("13") HEED_TAKE_PAIR("14") HEED_TAKE_PAIR("15")
      HEED_MANY_STORE_SUMS
      "ldrd r3, r5, [r1, #-16]\n"
      "cmp r11, r3\n"
      "bne 2b\n"
      "ldr r0, [r1, #-8]\n"
      "subs r0, #1\n"
      "str r0, [r1, #-8]\n"
      "bne 1b\n"
      "ldr r7, [r1, #-4]\n"
      : "+r"(fours)
      : "r"(weights)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
        "q4", "q5", "q6", "q7");
}

#define HEED_OUTPUTS(y, row_scale, sums, scales, bias)    \
  "vldrd.u64 q4, [" sums "\n"                      \
  "vmul.f32 q5, " scales ", " row_scale "\n"       \
  "vcvt.f32.s32 q4, q4\n"                          \
  "vmul.f32 q4, q4, q5\n"                          \
  "vadd.f32 q4, " bias ", q4\n"                    \
  "vstrw.32 q4, [" y "], #16\n"
#define HEED_EIGHT_OUTPUTS(y, row_scale, at)        \
  HEED_OUTPUTS(y, row_scale, "q6, #" at, "q0", "q2") \
  HEED_OUTPUTS(y, row_scale, "q7, #" at, "q1", "q3")

/// y = bias + float(sum) * (scale * row_scale), of eight outputs.
[[gnu::noinline]] inline void outputs_of_many_rows(ManyRows& rows, const float* scales, const float* bias) noexcept {
  register FourOutputs* four asm("r11") = rows.outputs;
  register const std::uint32_t(*sums)[4] asm("r9") = rows.sums_at;
  register const float* scale asm("r3") = scales;
  register const float* start asm("r5") = bias;
  register std::uint32_t count asm("r10") = rows.fours;
  asm volatile(
      "dls lr, r10\n"
      "vldrw.u32 q0, [r3]\n"
      "vldrw.u32 q1, [r3, #16]\n"
      "vldrw.u32 q2, [r5]\n"
      "vldrw.u32 q3, [r5, #16]\n"
      "vldrw.u32 q6, [r9]\n"
      "vldrw.u32 q7, [r9, #16]\n"
      "1:\n"
      "ldrd r4, r6, [r11]\n"
      "ldrd r8, r10, [r11, #8]\n"
      "ldrd r0, r2, [r11, #16]\n"
      "ldrd r3, r5, [r11, #24]\n"
      HEED_EIGHT_OUTPUTS("r4", "r0", "48]!")
      HEED_EIGHT_OUTPUTS("r6", "r2", "8]")
      HEED_EIGHT_OUTPUTS("r8", "r3", "16]")
      HEED_EIGHT_OUTPUTS("r10", "r5", "24]")
      "strd r8, r10, [r11, #8]\n"
      "strd r4, r6, [r11], #32\n"
      "le lr, 1b\n"
      : "+r"(four), "+r"(sums), "+r"(scale), "+r"(start), "+r"(count)
      :
      : "memory", "lr", "r0", "r2", "r4", "r6", "r8", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7");
}

// clang-format on
#undef HEED_NEAR_ROWS
#undef HEED_FAR_ROWS
#undef HEED_PUT_PAIR
#undef HEED_TAKE_PAIR
#undef HEED_OUTPUTS
#undef HEED_EIGHT_OUTPUTS

}  // namespace heed::detail
