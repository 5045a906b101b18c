// SPDX-License-Identifier: MIT
//
// Products of many rows of 8 bits, of 64 or 256 inputs, with all outputs of some panels of int8: the weights of two
// outputs are loaded, and their bias taken off, once for all rows, and as many as there are registers for stay there
// while the rows go by, four at a time. Sixteen products take 1.75 or 1.8 instructions and what the weights take, where
// four rows by themselves take 2.1.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "byte_tiles.hpp"
#include "common/kernel_contract.hpp"
#include "heed/detail/rounded_row.hpp"
#include "integer_tiles.hpp"

namespace heed::detail {

/// Rows that are taken at once, at most, and those for which it pays.
inline constexpr std::uint32_t most_many_rows = 32;
inline constexpr std::uint32_t least_many_rows = 16;

/// Outputs whose sums are kept until they become floats.
inline constexpr std::uint32_t outputs_of_many = 8;

/// Where the outputs of four rows go next.
struct FourOutputs {
  float* y[4];
  float scale[4];
};

/// What the loops begin from. There is a core register for every operand of a loop and none beside, so that they are
/// chosen here.
struct ManyRows {
  std::uint32_t weights[27][4];  ///< of two outputs those that no register holds
  std::uint32_t at[4];           ///< the addresses of words of the next two outputs
  const std::int32_t* end;       ///< of their sums, and where those of the next four rows go
  std::int32_t* to;
  std::uint32_t back;    ///< bytes from there to where those of the two outputs after them begin
  std::uint32_t pairs;   ///< of outputs that are left
  std::uintptr_t first;  ///< 144 bytes before the first row's numbers
  std::uint32_t frame;   ///< r7 around the loops: it may point to a frame, so that no list of what they change has it
  std::uint32_t fours;   ///< of rows
  const std::byte* x[most_many_rows / 4 + 1][4];
  FourOutputs of[most_many_rows / 4];
  std::int32_t sums[most_many_rows][outputs_of_many];
};
static_assert(offsetof(ManyRows, at) == 432 && offsetof(ManyRows, end) == 448 && offsetof(ManyRows, back) == 456);
static_assert(offsetof(ManyRows, first) == 464 && offsetof(ManyRows, frame) == 468 && offsetof(ManyRows, x) == 476);

// clang-format off
#define HEED_PAIR(first, second, at_first, at_second) \
  "vldrw.u32 " first ", [q6, #" at_first "\n"      \
  "vldrw.u32 " second ", [q6, #" at_second "\n"    \
  "veor " first ", " first ", q7\n"                \
  "veor " second ", " second ", q7\n"
#define HEED_PUT(quad, place) "vstrw.32 " quad ", [r1, #16 * " place "]\n"
#define HEED_TAKE(quad, place) "vldrw.u32 " quad ", [r1, #16 * " place "]\n"
#define HEED_SUMS(kind, quad, first, second, a, b)  \
  kind " " a ", " first ", " quad "\n"             \
  kind " " b ", " second ", " quad "\n"
// Sums begin in `to` and end where the next ones do.
#define HEED_STORE_SUMS(to)                         \
  "strd r4, r6, [" to ", #32]\n"                   \
  "strd r8, r10, [" to ", #64]\n"                  \
  "strd r12, lr, [" to ", #96]\n"                  \
  "strd r0, r2, [" to "], #128\n"

// Rows of 64 inputs lie 192 bytes apart, so that all of four are in reach of the second one, from where the last one
// ends the next four begin.
#define HEED_NEAR_ROW(kind, at, first, second, a, b) "vldrw.u32 q6, [r3, #" at "\n" HEED_SUMS(kind, "q6", first, second, a, b)
#define HEED_NEAR_ROWS(kind, first, second, second_row, first_row, third_row, fourth_row) \
  HEED_NEAR_ROW(kind, second_row, first, second, "r4", "r6")                               \
  HEED_NEAR_ROW(kind, first_row, first, second, "r0", "r2")                                \
  HEED_NEAR_ROW(kind, third_row, first, second, "r8", "r10")                               \
  HEED_NEAR_ROW(kind, fourth_row, first, second, "r12", "lr")

/// Sums of eight outputs over the 64 inputs of rows whose weights begin where rows.at says.
[[gnu::noinline]] inline void sum_near_rows(ManyRows& rows) noexcept {
  register ManyRows* const from asm("r1") = &rows;
  asm volatile(
      "mov r9, #4\n"
      "1:\n"
      "vldrw.u32 q6, [r1, #432]\n"
      "vmov.i16 q7, #0x80\n"
      "mov r0, #8\n"
      HEED_PAIR("q0", "q1", "132]", "384]") HEED_PUT("q0", "0") HEED_PUT("q1", "1")
      HEED_PAIR("q0", "q1", "-384]", "-380]") HEED_PAIR("q2", "q3", "-128]", "-124]") HEED_PAIR("q4", "q5", "128]", "388]")
      "vadd.i32 q6, q6, r0\n"
      "vstrw.32 q6, [r1, #432]\n"
      "ldrd r5, r11, [r1, #448]\n"
      "ldr r3, [r1, #464]\n"
      "2:\n"
      HEED_NEAR_ROWS("vmladav.s8", "q0", "q1", "336]!", "-192]", "192]", "384]")
      HEED_NEAR_ROWS("vmladava.s8", "q2", "q3", "16]", "-176]", "208]", "400]")
      HEED_TAKE("q7", "0")
      HEED_NEAR_ROWS("vmladava.s8", "q4", "q7", "32]", "-160]", "224]", "416]")
      HEED_TAKE("q7", "1")
      HEED_NEAR_ROWS("vmladava.s8", "q7", "q5", "48]", "-144]", "240]", "432]!")
      HEED_STORE_SUMS("r11")
      "cmp r11, r5\n"
      "bne 2b\n"
      "ldr r0, [r1, #456]\n"
      "add r5, r5, #8\n"
      "sub r11, r11, r0\n"
      "strd r5, r11, [r1, #448]\n"
      "subs r9, #1\n"
      "bne 1b\n"
      :
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2",
        "q3", "q4", "q5", "q6", "q7");
}

#define HEED_FAR_ROW(kind, row, at, first, second, a, b) \
  "vldrw.u32 q7, [" row ", #16 * " at "]\n" HEED_SUMS(kind, "q7", first, second, a, b)
#define HEED_FAR_ROWS(kind, at, first, second)                \
  HEED_FAR_ROW(kind, "r3", at, first, second, "r0", "r2")     \
  HEED_FAR_ROW(kind, "r5", at, first, second, "r4", "r6")     \
  HEED_FAR_ROW(kind, "r7", at, first, second, "r8", "r10")    \
  HEED_FAR_ROW(kind, "r9", at, first, second, "r12", "lr")
#define HEED_PUT_PAIR(place)                        \
  HEED_PAIR("q0", "q1", "-256]!", "4]") HEED_PUT("q0", "(" place " - 1)") HEED_PUT("q1", place)
#define HEED_TAKE_PAIR(at)                          \
  HEED_TAKE("q5", "(2 * " at " - 5)") HEED_TAKE("q6", "(2 * " at " - 4)") HEED_FAR_ROWS("vmladava.s8", at, "q5", "q6")

/// Likewise over 256 inputs of rows anywhere.
[[gnu::noinline]] inline void sum_far_rows(ManyRows& rows) noexcept {
  register ManyRows* const from asm("r1") = &rows;
  asm volatile(
      "str r7, [r1, #468]\n"
      "1:\n"
      "vldrw.u32 q6, [r1, #432]\n"
      "vmov.i16 q7, #0x80\n"
      HEED_PUT_PAIR("26") HEED_PUT_PAIR("24") HEED_PUT_PAIR("22") HEED_PUT_PAIR("20") HEED_PUT_PAIR("18")
      HEED_PUT_PAIR("16") HEED_PUT_PAIR("14") HEED_PUT_PAIR("12") HEED_PUT_PAIR("10") HEED_PUT_PAIR("8")
      HEED_PUT_PAIR("6") HEED_PUT_PAIR("4") HEED_PUT_PAIR("2")
      HEED_PAIR("q4", "q5", "-256]!", "4]") HEED_PUT("q5", "0")
      HEED_PAIR("q2", "q3", "-256]!", "4]") HEED_PAIR("q0", "q1", "-256]!", "4]")
      "movw r0, #4096 + 8\n"
      "vadd.i32 q6, q6, r0\n"
      "vstrw.32 q6, [r1, #432]\n"
      "add r11, r1, #476\n"
      "ldrd r3, r5, [r11]\n"
      "2:\n"
      "ldrd r7, r9, [r11, #8]\n"
      HEED_FAR_ROWS("vmladav.s8", "0", "q0", "q1")
      HEED_FAR_ROWS("vmladava.s8", "1", "q2", "q3")
      HEED_TAKE("q5", "0")
      HEED_FAR_ROWS("vmladava.s8", "2", "q4", "q5")
      HEED_TAKE_PAIR("3") HEED_TAKE_PAIR("4") HEED_TAKE_PAIR("5") HEED_TAKE_PAIR("6") HEED_TAKE_PAIR("7")
      HEED_TAKE_PAIR("8") HEED_TAKE_PAIR("9") HEED_TAKE_PAIR("10") HEED_TAKE_PAIR("11") HEED_TAKE_PAIR("12")
      HEED_TAKE_PAIR("13") HEED_TAKE_PAIR("14") HEED_TAKE_PAIR("15")
      "ldrd r5, r3, [r1, #448]\n"
      HEED_STORE_SUMS("r3")
      "str r3, [r1, #452]\n"
      "cmp r3, r5\n"
      "ldrd r3, r5, [r11, #16]!\n"
      "bne 2b\n"
      "ldrd r5, r11, [r1, #448]\n"
      "ldrd r0, r2, [r1, #456]\n"
      "add r5, r5, #8\n"
      "sub r11, r11, r0\n"
      "strd r5, r11, [r1, #448]\n"
      "subs r2, #1\n"
      "str r2, [r1, #460]\n"
      "bne 1b\n"
      "ldr r7, [r1, #468]\n"
      :
      : "r"(from)
      : "memory", "cc", "r0", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "q0", "q1", "q2",
        "q3", "q4", "q5", "q6", "q7");
}

#define HEED_OUTPUTS(y, row_scale, scales, bias)    \
  "vldrw.u32 q4, [r9], #16\n"                      \
  "vmul.f32 q5, " scales ", " row_scale "\n"       \
  "vcvt.f32.s32 q4, q4\n"                          \
  "vmul.f32 q4, q4, q5\n"                          \
  "vadd.f32 q4, " bias ", q4\n"                    \
  "vstrw.32 q4, [" y "], #16\n"
#define HEED_EIGHT_OUTPUTS(y, row_scale)            \
  HEED_OUTPUTS(y, row_scale, "q0", "q2")            \
  HEED_OUTPUTS(y, row_scale, "q1", "q3")

/// y = bias + float(sum) * (scale * row_scale), of eight outputs.
[[gnu::noinline]] inline void outputs_of_many_rows(ManyRows& rows, const float* scales, const float* bias) noexcept {
  register FourOutputs* four asm("r11") = rows.of;
  register const std::int32_t* sums asm("r9") = rows.sums[0];
  register const float* scale asm("r3") = scales;
  register const float* start asm("r5") = bias;
  register std::uint32_t count asm("r10") = rows.fours;
  asm volatile(
      "dls lr, r10\n"
      "vldrw.u32 q0, [r3]\n"
      "vldrw.u32 q1, [r3, #16]\n"
      "vldrw.u32 q2, [r5]\n"
      "vldrw.u32 q3, [r5, #16]\n"
      "1:\n"
      "ldrd r4, r6, [r11]\n"
      "ldrd r8, r10, [r11, #8]\n"
      "ldrd r0, r2, [r11, #16]\n"
      "ldrd r3, r5, [r11, #24]\n"
      HEED_EIGHT_OUTPUTS("r4", "r0")
      HEED_EIGHT_OUTPUTS("r6", "r2")
      HEED_EIGHT_OUTPUTS("r8", "r3")
      HEED_EIGHT_OUTPUTS("r10", "r5")
      "strd r8, r10, [r11, #8]\n"
      "strd r4, r6, [r11], #32\n"
      "le lr, 1b\n"
      : "+r"(four), "+r"(sums), "+r"(scale), "+r"(start), "+r"(count)
      :
      : "memory", "lr", "r0", "r2", "r4", "r6", "r8", "q0", "q1", "q2", "q3", "q4", "q5");
}

// clang-format on
#undef HEED_PAIR
#undef HEED_PUT
#undef HEED_TAKE
#undef HEED_SUMS
#undef HEED_STORE_SUMS
#undef HEED_NEAR_ROW
#undef HEED_NEAR_ROWS
#undef HEED_FAR_ROW
#undef HEED_FAR_ROWS
#undef HEED_PUT_PAIR
#undef HEED_TAKE_PAIR
#undef HEED_OUTPUTS
#undef HEED_EIGHT_OUTPUTS

/// How many rows of a product multiply_many_rows() takes next; 0 for all that better goes another way.
[[nodiscard]] inline std::uint32_t many_rows_of(const MatrixProduct& product) noexcept {
  if (!has_loops_of_many_rows || product.count < least_many_rows || product.outputs % outputs_of_many != 0) return 0;
  const bool near = product.inputs == 64 && product.row_bytes == rounded_row_bytes(64);
  if (!near && product.inputs != 256) return 0;
  return product.count < most_many_rows ? product.count / 4 * 4 : most_many_rows;
}
static_assert(rounded_row_bytes(64) == 192);

/// The first `count` rows, as many_rows_of() says.
[[gnu::noinline]] inline void multiply_many_rows(const MatrixProduct& product, const float* bias,
                                                 std::uint32_t bias_step, std::uint32_t count) noexcept {
  const bool near = product.inputs == 64;
  ManyRows rows;
  rows.fours = count / 4;
  const std::byte* row = product.rows;
  float* y = product.y;
  rows.first = reinterpret_cast<std::uintptr_t>(row) + row_numbers_at - 144;
  for (std::uint32_t four = 0; four < rows.fours; ++four) {
    for (std::uint32_t r = 0; r < 4; ++r, row += product.row_bytes, y += product.y_row) {
      rows.x[four][r] = row + row_numbers_at;
      rows.of[four].y[r] = y;
      rows.of[four].scale[r] = *reinterpret_cast<const float*>(row);
    }
  }
  rows.back = count * std::uint32_t{sizeof rows.sums[0]} - 2 * std::uint32_t{sizeof(std::int32_t)};
  const std::byte* weights = product.weights;
  // What the first words of an output are from where `at` begins, beside what WeightWords takes off.
  const std::uint32_t ahead = 256 + (near ? 384 : 4096);
  const std::size_t to_next_panel = std::size_t{panel_width} * product.inputs - outputs_of_many * 4;
  for (std::uint32_t output = 0; output < product.outputs; output += outputs_of_many) {
    const std::uint32_t within = output % panel_width;
    vst1q_u32(rows.at, WeightWords(weights + ahead).at);
    rows.to = rows.sums[0];
    rows.end = rows.sums[count];
    rows.pairs = outputs_of_many / 2;
    near ? sum_near_rows(rows) : sum_far_rows(rows);
    outputs_of_many_rows(rows, product.scales + output, bias + within);
    weights += within == 0 ? outputs_of_many * 4 : to_next_panel;
    if (within != 0) bias += bias_step;
  }
}

}  // namespace heed::detail
