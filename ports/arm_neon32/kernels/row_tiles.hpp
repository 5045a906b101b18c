// SPDX-License-Identifier: MIT
//
// The product's tile in eight registers of sums, which are two rows of sixteen or one row with two panels. Here a fused
// multiply-add takes no factor from a lane, so one load brings a factor already in every lane, and one load half a row
// of B. The loops are in assembly, because compilers copy registers and compute addresses between these; what one step
// needs is loaded while the step before is multiplied, never behind the last.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <neon_partial_panel.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Strides in bytes: of A, and of B from the second half of a row to the next row.
struct TileSteps {
  std::ptrdiff_t a_step;
  std::ptrdiff_t b_rest;
  std::uint32_t rounds;  ///< of eight steps
  std::uint32_t left;
};

[[gnu::always_inline]] inline TileSteps tile_steps(const Gemm& product) noexcept {
  constexpr std::ptrdiff_t bytes = sizeof(float);
  return {product.a_step * bytes, (product.b_step - port::lanes / 2) * bytes, product.depth / 8, product.depth % 8};
}

// clang-format off
// The halves of a row of B are q8, q9 and q10, q11. Factors are q12, q13 in even steps and q14, q15 in odd ones.
#define HEED_LOAD_LOW(b) "vld1.32 {d16-d19}, [%[" b "]]!\n"
#define HEED_LOAD_HIGH(b) "vld1.32 {d20-d23}, [%[" b "]], %[b_rest]\n"
#define HEED_LOAD_FACTOR(lanes, a) "vld1.32 {" lanes "}, [%[" a "]], %[a_step]\n"

// Two sums += half a row of B * factor.
#define HEED_ADD_LOW(s0, s1, factor)        \
  "vfma.f32 %q[" s0 "], q8, " factor "\n"   \
  "vfma.f32 %q[" s1 "], q9, " factor "\n"
#define HEED_ADD_HIGH(s0, s1, factor)       \
  "vfma.f32 %q[" s0 "], q10, " factor "\n"  \
  "vfma.f32 %q[" s1 "], q11, " factor "\n"

// One step of two rows; `load` and `load_high` bring what the next one begins with.
#define HEED_STEP_OF_ROWS(f0, f1, load, load_high) \
  HEED_ADD_LOW("s0", "s1", f0)                     \
  HEED_ADD_LOW("s4", "s5", f1)                     \
  load                                             \
  HEED_ADD_HIGH("s2", "s3", f0)                    \
  HEED_ADD_HIGH("s6", "s7", f1)                    \
  load_high
#define HEED_EVEN_FACTORS                \
  HEED_LOAD_FACTOR("d24[], d25[]", "a0") \
  HEED_LOAD_FACTOR("d26[], d27[]", "a1")
#define HEED_ODD_FACTORS                 \
  HEED_LOAD_FACTOR("d28[], d29[]", "a0") \
  HEED_LOAD_FACTOR("d30[], d31[]", "a1")
#define HEED_EVEN_ROWS HEED_STEP_OF_ROWS("q12", "q13", HEED_LOAD_LOW("b0") HEED_ODD_FACTORS, HEED_LOAD_HIGH("b0"))
#define HEED_ODD_ROWS HEED_STEP_OF_ROWS("q14", "q15", HEED_LOAD_LOW("b0") HEED_EVEN_FACTORS, HEED_LOAD_HIGH("b0"))
#define HEED_FIRST_OF_ROWS \
  HEED_EVEN_FACTORS        \
  HEED_LOAD_LOW("b0")      \
  HEED_LOAD_HIGH("b0")
#define HEED_EIGHT_OF_ROWS \
  HEED_FIRST_OF_ROWS       \
  HEED_EVEN_ROWS           \
  HEED_ODD_ROWS            \
  HEED_EVEN_ROWS           \
  HEED_ODD_ROWS            \
  HEED_EVEN_ROWS           \
  HEED_ODD_ROWS            \
  HEED_EVEN_ROWS           \
  HEED_STEP_OF_ROWS("q14", "q15", "", "")

// One step of one row with two panels, likewise.
#define HEED_STEP_OF_PANELS(factor, load, load_high) \
  HEED_ADD_LOW("s0", "s1", factor)                   \
  HEED_LOAD_LOW("b1")                                \
  HEED_ADD_HIGH("s2", "s3", factor)                  \
  HEED_LOAD_HIGH("b1")                               \
  HEED_ADD_LOW("s4", "s5", factor)                   \
  load                                               \
  HEED_ADD_HIGH("s6", "s7", factor)                  \
  load_high
#define HEED_EVEN_FACTOR HEED_LOAD_FACTOR("d24[], d25[]", "a0")
#define HEED_ODD_FACTOR HEED_LOAD_FACTOR("d28[], d29[]", "a0")
#define HEED_EVEN_PANELS HEED_STEP_OF_PANELS("q12", HEED_LOAD_LOW("b0") HEED_ODD_FACTOR, HEED_LOAD_HIGH("b0"))
#define HEED_ODD_PANELS HEED_STEP_OF_PANELS("q14", HEED_LOAD_LOW("b0") HEED_EVEN_FACTOR, HEED_LOAD_HIGH("b0"))
#define HEED_FIRST_OF_PANELS \
  HEED_EVEN_FACTOR           \
  HEED_LOAD_LOW("b0")        \
  HEED_LOAD_HIGH("b0")
#define HEED_EIGHT_OF_PANELS \
  HEED_FIRST_OF_PANELS       \
  HEED_EVEN_PANELS           \
  HEED_ODD_PANELS            \
  HEED_EVEN_PANELS           \
  HEED_ODD_PANELS            \
  HEED_EVEN_PANELS           \
  HEED_ODD_PANELS            \
  HEED_EVEN_PANELS           \
  HEED_STEP_OF_PANELS("q14", "", "")

// Runs `eight` for every eight steps, and `one` for every step that is left.
#define HEED_LOOPS(eight, one)        \
  "cmp %[rounds], #0\n"               \
  "beq 2f\n"                          \
  "1:\n"                              \
  eight                               \
  "subs %[rounds], %[rounds], #1\n"   \
  "bne 1b\n"                          \
  "2:\n"                              \
  "cmp %[left], #0\n"                 \
  "beq 4f\n"                          \
  "3:\n"                              \
  one                                 \
  "subs %[left], %[left], #1\n"       \
  "bne 3b\n"                          \
  "4:\n"
#define HEED_SUM(name, row, panel, half, quarter) [name] "+w"(sums.of[row][panel].half.quarter.leaf.data)
#define HEED_ROW_OF_SUMS(s0, s1, s2, s3, row, panel) \
  HEED_SUM(s0, row, panel, low, low),                \
  HEED_SUM(s1, row, panel, low, high),               \
  HEED_SUM(s2, row, panel, high, low),               \
  HEED_SUM(s3, row, panel, high, high)
#define HEED_CLOBBERED "memory", "cc", "q8", "q9", "q10", "q11", "q12", "q13", "q14", "q15"

/// sums += two rows of A x one panel of B.
[[gnu::always_inline]] inline void add_steps(const Gemm& product, const float* a0, const float* b0,
                                             Sums<2, 1>& sums) noexcept {
  TileSteps steps = tile_steps(product);
  const float* a1 = a0 + product.a_row;
  asm volatile(
      HEED_LOOPS(
          HEED_EIGHT_OF_ROWS,

          HEED_FIRST_OF_ROWS
          HEED_STEP_OF_ROWS("q12", "q13", "", ""))
      : HEED_ROW_OF_SUMS(s0, s1, s2, s3, 0, 0), HEED_ROW_OF_SUMS(s4, s5, s6, s7, 1, 0), [a0] "+&r"(a0),
        [a1] "+&r"(a1), [b0] "+&r"(b0), [rounds] "+&r"(steps.rounds), [left] "+&r"(steps.left)
      : [a_step] "r"(steps.a_step), [b_rest] "r"(steps.b_rest)
      : HEED_CLOBBERED);
}

/// sums += one row of A x two panels of B.
[[gnu::always_inline]] inline void add_steps(const Gemm& product, const float* a0, const float* b0,
                                             Sums<1, 2>& sums) noexcept {
  TileSteps steps = tile_steps(product);
  const float* b1 = b0 + product.b_panel;
  asm volatile(
      HEED_LOOPS(
          HEED_EIGHT_OF_PANELS,

          HEED_FIRST_OF_PANELS
          HEED_STEP_OF_PANELS("q12", "", ""))
      : HEED_ROW_OF_SUMS(s0, s1, s2, s3, 0, 0), HEED_ROW_OF_SUMS(s4, s5, s6, s7, 0, 1), [a0] "+&r"(a0),
        [b0] "+&r"(b0), [b1] "+&r"(b1), [rounds] "+&r"(steps.rounds), [left] "+&r"(steps.left)
      : [a_step] "r"(steps.a_step), [b_rest] "r"(steps.b_rest)
      : HEED_CLOBBERED);
}

// clang-format on
#undef HEED_LOAD_LOW
#undef HEED_LOAD_HIGH
#undef HEED_LOAD_FACTOR
#undef HEED_ADD_LOW
#undef HEED_ADD_HIGH
#undef HEED_STEP_OF_ROWS
#undef HEED_EVEN_FACTORS
#undef HEED_ODD_FACTORS
#undef HEED_EVEN_ROWS
#undef HEED_ODD_ROWS
#undef HEED_FIRST_OF_ROWS
#undef HEED_EIGHT_OF_ROWS
#undef HEED_STEP_OF_PANELS
#undef HEED_EVEN_FACTOR
#undef HEED_ODD_FACTOR
#undef HEED_EVEN_PANELS
#undef HEED_ODD_PANELS
#undef HEED_FIRST_OF_PANELS
#undef HEED_EIGHT_OF_PANELS
#undef HEED_LOOPS
#undef HEED_SUM
#undef HEED_ROW_OF_SUMS
#undef HEED_CLOBBERED

/// sums += one row of A x one panel of B.
[[gnu::always_inline]] inline void add_steps(const Gemm& product, const float* a, const float* b,
                                             Sums<1, 1>& sums) noexcept {
  for (std::uint32_t left = product.depth; left != 0; --left, a += product.a_step, b += product.b_step) {
    sums.of[0][0] = port::fma(port::set(*a), port::load(b), sums.of[0][0]);
  }
}

/// Rows x Panels sums held in registers over the whole depth.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, false>(product, row, panel, 0, sums);
  add_steps(product, product.a + row * product.a_row, product.b + panel * product.b_panel, sums);
  if constexpr (Panels == 1) {
    if (product.column_maxima != nullptr) join_maxima<Rows>(sums, product.column_maxima);
  }
  store_sums<Rows, Panels, false>(product, row, panel, 0, sums);
}

/// Tiles of panels [panel, end); answers the first panel that is left.
template <int Rows, int Panels>
[[gnu::noinline]] inline std::ptrdiff_t multiply_tiles(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel,
                                                       std::ptrdiff_t end) noexcept {
  for (; panel + Panels <= end; panel += Panels) tile<Rows, Panels>(product, row, panel);
  return panel;
}

/// Rows [row, row + rows) of whole panels [panel, end).
inline void multiply_whole_panels(const Gemm& product, std::ptrdiff_t row, int rows, std::ptrdiff_t panel,
                                  std::ptrdiff_t end, bool /*long_rows*/) noexcept {
  if (rows == 2) {
    multiply_tiles<2, 1>(product, row, panel, end);
    return;
  }
  panel = multiply_tiles<1, 2>(product, row, panel, end);
  multiply_tiles<1, 1>(product, row, panel, end);
}

/// The same rows of a panel that has only `lanes` columns.
inline void multiply_partial_panel(const Gemm& product, std::ptrdiff_t row, int rows, std::ptrdiff_t panel,
                                   int lanes) noexcept {
  if (rows == 1) {
    multiply_partial_rows<1>(product, row, 1, panel, lanes);
  } else {
    multiply_partial_rows<port::tile_rows>(product, row, rows, panel, lanes);
  }
}

}  // namespace heed::detail
