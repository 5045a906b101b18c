// SPDX-License-Identifier: MIT
//
// The loops over the depth of a product, six sums of four lanes in registers. Compilers spill them, so the loops are
// written out, with the loop instructions of the core; `.if` cuts each to its number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/tile_places.hpp"

namespace heed::detail {

// clang-format off
// Instructions of tiles of at least so many rows.
#define HEED_IF_ROWS(least, ...) ".if %c[rows] >= " #least "\n" __VA_ARGS__ ".endif\n"

// A quad of B at `at`; then that pointer stands at the next row, Step bytes on, or `step` if Step is 0.
#define HEED_NEXT_ROW(quad, at, step)         \
  ".if %c[step]\n"                            \
  "vldrw.u32 " quad ", [" at "], #%c[step]\n" \
  ".else\n"                                   \
  "vldrw.u32 " quad ", [" at "]\n"            \
  "add " at ", " at ", " step "\n"            \
  ".endif\n"

// A pointer of the tile at `offset`, moved to the lane, and its stride.
#define HEED_POINTER(pointer, stride, offset)              \
  "ldrd " pointer ", " stride ", [%[tile], #" offset "]\n" \
  "add " pointer ", " pointer ", %[lane]\n"

#define HEED_CLOBBERED                                                                                        \
  "memory", "cc", "lr", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "s0", "s1", "s2", "s3", "s4", "s5",   \
  "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", \
  "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31"

// Factors r4, r5, r6, r8, r9, r10, of as many rows; sums q0-q5.
#define HEED_LANES_STEP                     \
  ".if %c[rows] == 2\n"                     \
  "ldm r0, {r4, r5}\n"                      \
  ".elseif %c[rows] == 3\n"                 \
  "ldm r0, {r4, r5, r6}\n"                  \
  ".elseif %c[rows] == 4\n"                 \
  "ldm r0, {r4, r5, r6, r8}\n"              \
  ".elseif %c[rows] == 5\n"                 \
  "ldm r0, {r4, r5, r6, r8, r9}\n"          \
  ".else\n"                                 \
  "ldm r0, {r4, r5, r6, r8, r9, r10}\n"     \
  ".endif\n"                                \
  HEED_NEXT_ROW("q7", "r2", "r3")           \
  "add r0, r0, r1\n"                        \
  "vfma.f32 q0, q7, r4\n"                   \
  "vfma.f32 q1, q7, r5\n"                   \
  HEED_IF_ROWS(3, "vfma.f32 q2, q7, r6\n")  \
  HEED_IF_ROWS(4, "vfma.f32 q3, q7, r8\n")  \
  HEED_IF_ROWS(5, "vfma.f32 q4, q7, r9\n")  \
  HEED_IF_ROWS(6, "vfma.f32 q5, q7, r10\n")

/// Two to six rows of A that lie side by side, with four columns of B, `lane` bytes on.
template <int Rows, int Step>
[[gnu::always_inline]] inline void add_lanes(const Tile& tile, std::ptrdiff_t lane) noexcept {
  static_assert(Rows >= 2 && Rows <= 6);
  asm volatile(
      HEED_POINTER("r4", "r5", "16")
      "vldrw.u32 q0, [r4]\n"
      "add r4, r4, r5\n"
      "vldrw.u32 q1, [r4]\n"
      HEED_IF_ROWS(3, "add r4, r4, r5\n" "vldrw.u32 q2, [r4]\n")
      HEED_IF_ROWS(4, "add r4, r4, r5\n" "vldrw.u32 q3, [r4]\n")
      HEED_IF_ROWS(5, "add r4, r4, r5\n" "vldrw.u32 q4, [r4]\n")
      HEED_IF_ROWS(6, "add r4, r4, r5\n" "vldrw.u32 q5, [r4]\n")
      HEED_POINTER("r2", "r3", "8")
      "ldrd r0, r1, [%[tile]]\n"
      "ldr r4, [%[tile], #40]\n"
      "wls lr, r4, 2f\n"
      "1:\n"
      HEED_LANES_STEP
      HEED_LANES_STEP
      HEED_LANES_STEP
      HEED_LANES_STEP
      "le lr, 1b\n"
      "2:\n"
      "ldr r4, [%[tile], #44]\n"
      "wls lr, r4, 4f\n"
      "3:\n"
      HEED_LANES_STEP
      "le lr, 3b\n"
      "4:\n"
      "ldr r6, [%[tile], #32]\n"
      HEED_POINTER("r4", "r5", "24")
      "vstrw.32 q0, [r4]\n"
      "add r4, r4, r5\n"
      "vstrw.32 q1, [r4]\n"
      HEED_IF_ROWS(3, "add r4, r4, r5\n" "vstrw.32 q2, [r4]\n")
      HEED_IF_ROWS(4, "add r4, r4, r5\n" "vstrw.32 q3, [r4]\n")
      HEED_IF_ROWS(5, "add r4, r4, r5\n" "vstrw.32 q4, [r4]\n")
      HEED_IF_ROWS(6, "add r4, r4, r5\n" "vstrw.32 q5, [r4]\n")
      "cbz r6, 5f\n"
      "add r6, r6, %[lane]\n"
      "vldrw.u32 q7, [r6]\n"
      "vmaxnm.f32 q7, q7, q0\n"
      "vmaxnm.f32 q7, q7, q1\n"
      HEED_IF_ROWS(3, "vmaxnm.f32 q7, q7, q2\n")
      HEED_IF_ROWS(4, "vmaxnm.f32 q7, q7, q3\n")
      HEED_IF_ROWS(5, "vmaxnm.f32 q7, q7, q4\n")
      HEED_IF_ROWS(6, "vmaxnm.f32 q7, q7, q5\n")
      "vstrw.32 q7, [r6]\n"
      "5:\n"
      :
      : [tile] "h"(&tile), [lane] "h"(lane), [rows] "i"(Rows), [step] "i"(Step)
      : HEED_CLOBBERED, "r9", "r10");
}

#undef HEED_LANES_STEP

// Factors r4, r6, r9, then r5, r8, r10; sums q0, q2, q4 of the low four columns, q1, q3, q5 of the high ones. The loads
// of B stand between multiply-adds, which the core overlaps with them.
#define HEED_ROWS_FMA(quad, q0, q1, q2, f0, f1, f2)      \
  "vfma.f32 " q0 ", " quad ", " f0 "\n"                  \
  "vfma.f32 " q1 ", " quad ", " f1 "\n"                  \
  HEED_IF_ROWS(3, "vfma.f32 " q2 ", " quad ", " f2 "\n")
#define HEED_ROWS_HIGH(f0, f1, f2) HEED_ROWS_FMA("q7", "q1", "q3", "q5", f0, f1, f2)
#define HEED_ROWS_LOW(f0, f1, f2) HEED_ROWS_FMA("q6", "q0", "q2", "q4", f0, f1, f2)
#define HEED_ROWS_TWO_STEPS                   \
  "vldrw.u32 q7, [r3, #16]\n"                 \
  "ldrd r4, r5, [r0], #8\n"                   \
  "ldrd r6, r8, [r1], #8\n"                   \
  HEED_IF_ROWS(3, "ldrd r9, r10, [r2], #8\n") \
  HEED_NEXT_ROW("q6", "r3", "r11")            \
  HEED_ROWS_HIGH("r4", "r6", "r9")            \
  "vldrw.u32 q7, [r3, #16]\n"                 \
  HEED_ROWS_LOW("r4", "r6", "r9")             \
  HEED_NEXT_ROW("q6", "r3", "r11")            \
  HEED_ROWS_HIGH("r5", "r8", "r10")           \
  HEED_ROWS_LOW("r5", "r8", "r10")

/// Two or three rows of A whose steps lie side by side, with eight columns of B. The tile moves on to the next rows.
template <int Rows, int Step>
[[gnu::always_inline]] inline void add_rows(Tile& tile) noexcept {
  static_assert(Rows == 2 || Rows == 3);
  asm volatile(
      "ldrd r4, r5, [%[tile], #16]\n"
      "vldrw.u32 q0, [r4]\n"
      "vldrw.u32 q1, [r4, #16]\n"
      "add r4, r4, r5\n"
      "vldrw.u32 q2, [r4]\n"
      "vldrw.u32 q3, [r4, #16]\n"
      "add r4, r4, r5\n"
      HEED_IF_ROWS(3, "vldrw.u32 q4, [r4]\n" "vldrw.u32 q5, [r4, #16]\n" "add r4, r4, r5\n")
      "str r4, [%[tile], #16]\n"
      "ldrd r3, r11, [%[tile], #8]\n"
      "ldr r0, [%[tile]]\n"
      "ldrd r4, r5, [%[tile], #36]\n"
      "add r1, r0, r4\n"
      "add r2, r1, r4\n"
      HEED_IF_ROWS(3, "add r4, r2, r4\n" "str r4, [%[tile]]\n")
      ".if %c[rows] == 2\n"
      "str r2, [%[tile]]\n"
      ".endif\n"
      "wls lr, r5, 2f\n"
      "1:\n"
      HEED_ROWS_TWO_STEPS
      HEED_ROWS_TWO_STEPS
      "le lr, 1b\n"
      "2:\n"
      "ldr r4, [%[tile], #44]\n"
      "wls lr, r4, 4f\n"
      "3:\n"
      "vldrw.u32 q7, [r3, #16]\n"
      "ldr r4, [r0], #4\n"
      "ldr r6, [r1], #4\n"
      HEED_IF_ROWS(3, "ldr r9, [r2], #4\n")
      HEED_NEXT_ROW("q6", "r3", "r11")
      HEED_ROWS_HIGH("r4", "r6", "r9")
      HEED_ROWS_LOW("r4", "r6", "r9")
      "le lr, 3b\n"
      "4:\n"
      "ldrd r4, r5, [%[tile], #24]\n"
      "ldr r6, [%[tile], #32]\n"
      "vstrw.32 q0, [r4]\n"
      "vstrw.32 q1, [r4, #16]\n"
      "add r4, r4, r5\n"
      "vstrw.32 q2, [r4]\n"
      "vstrw.32 q3, [r4, #16]\n"
      "add r4, r4, r5\n"
      HEED_IF_ROWS(3, "vstrw.32 q4, [r4]\n" "vstrw.32 q5, [r4, #16]\n" "add r4, r4, r5\n")
      "str r4, [%[tile], #24]\n"
      "cbz r6, 5f\n"
      "vldrw.u32 q6, [r6]\n"
      "vldrw.u32 q7, [r6, #16]\n"
      "vmaxnm.f32 q6, q6, q0\n"
      "vmaxnm.f32 q7, q7, q1\n"
      "vmaxnm.f32 q6, q6, q2\n"
      "vmaxnm.f32 q7, q7, q3\n"
      HEED_IF_ROWS(3, "vmaxnm.f32 q6, q6, q4\n" "vmaxnm.f32 q7, q7, q5\n")
      "vstrw.32 q6, [r6]\n"
      "vstrw.32 q7, [r6, #16]\n"
      "5:\n"
      :
      : [tile] "h"(&tile), [rows] "i"(Rows), [step] "i"(Step)
      : HEED_CLOBBERED, "r9", "r10", "r11");
}

#undef HEED_ROWS_FMA
#undef HEED_ROWS_HIGH
#undef HEED_ROWS_LOW
#undef HEED_ROWS_TWO_STEPS

#define HEED_ROW_STEP(factor)     \
  "vldrw.u32 q4, [r1, #16]\n"     \
  "vldrw.u32 q5, [r1, #32]\n"     \
  "vfma.f32 q1, q4, " factor "\n" \
  "vldrw.u32 q6, [r1, #48]\n"     \
  "vfma.f32 q2, q5, " factor "\n" \
  HEED_NEXT_ROW("q7", "r1", "r2") \
  "vfma.f32 q3, q6, " factor "\n" \
  "vfma.f32 q0, q7, " factor "\n"

/// One row of A whose steps lie side by side, with `panels` times sixteen columns of B, at least once. Here the tile's
/// a_step, start_row and c_row are the bytes from panel to panel, of B, start and C.
template <int Step>
[[gnu::always_inline]] inline void add_row(Tile& tile, std::ptrdiff_t panels) noexcept {
  asm volatile(
      "5:\n"
      "ldrd r4, r5, [%[tile], #16]\n"
      "vldrw.u32 q0, [r4]\n"
      "vldrw.u32 q1, [r4, #16]\n"
      "vldrw.u32 q2, [r4, #32]\n"
      "vldrw.u32 q3, [r4, #48]\n"
      "add r4, r4, r5\n"
      "str r4, [%[tile], #16]\n"
      "ldrd r0, r4, [%[tile]]\n"
      "ldrd r1, r2, [%[tile], #8]\n"
      "add r4, r4, r1\n"
      "str r4, [%[tile], #8]\n"
      "ldrd r4, r3, [%[tile], #40]\n"
      "wls lr, r4, 2f\n"
      "1:\n"
      "ldm r0!, {r4, r5, r6, r8}\n"
      HEED_ROW_STEP("r4")
      HEED_ROW_STEP("r5")
      HEED_ROW_STEP("r6")
      HEED_ROW_STEP("r8")
      "le lr, 1b\n"
      "2:\n"
      "wls lr, r3, 4f\n"
      "3:\n"
      "ldr r4, [r0], #4\n"
      HEED_ROW_STEP("r4")
      "le lr, 3b\n"
      "4:\n"
      "ldrd r4, r5, [%[tile], #24]\n"
      "vstrw.32 q0, [r4]\n"
      "vstrw.32 q1, [r4, #16]\n"
      "vstrw.32 q2, [r4, #32]\n"
      "vstrw.32 q3, [r4, #48]\n"
      "add r4, r4, r5\n"
      "str r4, [%[tile], #24]\n"
      "subs %[panels], %[panels], #1\n"
      "bne 5b\n"
      : [panels] "+h"(panels)
      : [tile] "h"(&tile), [step] "i"(Step)
      : HEED_CLOBBERED);
}

// clang-format on
#undef HEED_ROW_STEP
#undef HEED_IF_ROWS
#undef HEED_NEXT_ROW
#undef HEED_POINTER
#undef HEED_CLOBBERED

}  // namespace heed::detail
