// SPDX-License-Identifier: MIT
//
// Four sixteen-lane sums at once, in assembly, because compilers copy sums from register to register. One load brings
// four factors, of four steps of a row or of four rows, and one load a row of B: the one of the next step while this
// one is multiplied, never one behind the last. All that is multiplied is in the first-level cache or read in order:
// nothing is asked for ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Where four sixteen-lane sums start and end, and how far they are apart, in bytes.
struct FourSums {
  const float* start;
  std::ptrdiff_t start_step;
  float* end;
  std::ptrdiff_t end_step;
  float* column_maxima;
};

/// The sums of four rows, or of one row with four panels.
template <int Rows>
[[gnu::always_inline]] inline FourSums four_sums(const Gemm& product, std::ptrdiff_t first_row,
                                                 std::ptrdiff_t panel) noexcept {
  static constexpr float zeros[port::lanes] = {};
  constexpr std::ptrdiff_t bytes = sizeof(float);
  float* c = product.c + first_row * product.c_row + panel * product.c_panel;
  FourSums sums{zeros, 0, c, (Rows == 1 ? product.c_panel : product.c_row) * bytes,
                Rows == 1 ? nullptr : product.column_maxima};
  if (product.start != nullptr) {
    sums.start = product.start + first_row * product.start_row + panel * product.c_panel;
    sums.start_step = (Rows == 1 ? product.c_panel : product.start_row) * bytes;
  }
  return sums;
}

// clang-format off
// The sums are v16-v31, four registers each; a row of B is v0-v3 in even steps and v4-v7 in odd ones, so that the next
// one can be loaded meanwhile; factors are v8-v11.
#define HEED_LOAD_SUMS                               \
  "ld1 {v16.4s-v19.4s}, [%[start]], %[start_step]\n" \
  "ld1 {v20.4s-v23.4s}, [%[start]], %[start_step]\n" \
  "ld1 {v24.4s-v27.4s}, [%[start]], %[start_step]\n" \
  "ld1 {v28.4s-v31.4s}, [%[start]]\n"

#define HEED_MAX4(s0, s1, s2, s3)       \
  "fmax v0.4s, v0.4s, " s0 ".4s\n"      \
  "fmax v1.4s, v1.4s, " s1 ".4s\n"      \
  "fmax v2.4s, v2.4s, " s2 ".4s\n"      \
  "fmax v3.4s, v3.4s, " s3 ".4s\n"

#define HEED_STORE_SUMS                            \
  "cbz %[maxima], 5f\n"                            \
  "ld1 {v0.4s-v3.4s}, [%[maxima]]\n"               \
  HEED_MAX4("v16", "v17", "v18", "v19")            \
  HEED_MAX4("v20", "v21", "v22", "v23")            \
  HEED_MAX4("v24", "v25", "v26", "v27")            \
  HEED_MAX4("v28", "v29", "v30", "v31")            \
  "st1 {v0.4s-v3.4s}, [%[maxima]]\n"               \
  "5:\n"                                           \
  "st1 {v16.4s-v19.4s}, [%[end]], %[end_step]\n"   \
  "st1 {v20.4s-v23.4s}, [%[end]], %[end_step]\n"   \
  "st1 {v24.4s-v27.4s}, [%[end]], %[end_step]\n"   \
  "st1 {v28.4s-v31.4s}, [%[end]]\n"

// One sum += a row of B * factor.
#define HEED_FMA4(s0, s1, s2, s3, b0, b1, b2, b3, factor) \
  "fmla " s0 ".4s, " b0 ".4s, " factor "\n"               \
  "fmla " s1 ".4s, " b1 ".4s, " factor "\n"               \
  "fmla " s2 ".4s, " b2 ".4s, " factor "\n"               \
  "fmla " s3 ".4s, " b3 ".4s, " factor "\n"
#define HEED_EVEN(s0, s1, s2, s3, factor) HEED_FMA4(s0, s1, s2, s3, "v0", "v1", "v2", "v3", factor)
#define HEED_ODD(s0, s1, s2, s3, factor) HEED_FMA4(s0, s1, s2, s3, "v4", "v5", "v6", "v7", factor)
#define HEED_SUM0(PARITY, factor) HEED_##PARITY("v16", "v17", "v18", "v19", factor)
#define HEED_SUM1(PARITY, factor) HEED_##PARITY("v20", "v21", "v22", "v23", factor)
#define HEED_SUM2(PARITY, factor) HEED_##PARITY("v24", "v25", "v26", "v27", factor)
#define HEED_SUM3(PARITY, factor) HEED_##PARITY("v28", "v29", "v30", "v31", factor)
#define HEED_LOAD_EVEN(b) "ld1 {v0.4s-v3.4s}, [%[" b "]], %[b_step]\n"
#define HEED_LOAD_ODD(b) "ld1 {v4.4s-v7.4s}, [%[" b "]], %[b_step]\n"

// A step of four rows: the factors are lane k of a register for each.
#define HEED_STEP_OF_ROWS(PARITY, k) \
  HEED_SUM0(PARITY, "v8.s[" k "]")   \
  HEED_SUM1(PARITY, "v9.s[" k "]")   \
  HEED_SUM2(PARITY, "v10.s[" k "]")  \
  HEED_SUM3(PARITY, "v11.s[" k "]")

// A step of four rows: the factors are the lanes of one register, and those of the next step are loaded on the way.
#define HEED_LOAD_A(register) "ld1 {" register ".4s}, [%[a]], %[a_step]\n"
#define HEED_STEP_OF_LANES(PARITY, a, load_next) \
  HEED_SUM0(PARITY, a ".s[0]")                   \
  HEED_SUM1(PARITY, a ".s[1]")                   \
  HEED_SUM2(PARITY, a ".s[2]")                   \
  load_next                                      \
  HEED_SUM3(PARITY, a ".s[3]")

// A step of one row with four panels: the factor is lane k of v8; the first row of B is there, and the last load is of
// the next step.
#define HEED_STEP_OF_PANELS(k, load_next) \
  HEED_LOAD_ODD("b1")                     \
  HEED_SUM0(EVEN, "v8.s[" k "]")          \
  HEED_LOAD_EVEN("b2")                    \
  HEED_SUM1(ODD, "v8.s[" k "]")           \
  HEED_LOAD_ODD("b3")                     \
  HEED_SUM2(EVEN, "v8.s[" k "]")          \
  load_next                               \
  HEED_SUM3(ODD, "v8.s[" k "]")

// Runs `block` for every eight (four) steps, and `single` for every step that is left.
#define HEED_LOOPS(block, single)     \
  HEED_LOAD_SUMS                      \
  "cbz %w[blocks], 2f\n"              \
  "1:\n"                              \
  block                               \
  "subs %w[blocks], %w[blocks], #1\n" \
  "b.ne 1b\n"                         \
  "2:\n"                              \
  "cbz %w[left], 4f\n"                \
  "3:\n"                              \
  single                              \
  "subs %w[left], %w[left], #1\n"     \
  "b.ne 3b\n"                         \
  "4:\n"                              \
  HEED_STORE_SUMS

#define HEED_CLOBBERED                                                                                      \
  "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v16", "v17",   \
  "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

/// Four rows of A whose steps lie side by side, eight steps at a time.
[[gnu::noinline]] inline void add_contiguous_rows(const Gemm& product, std::ptrdiff_t first_row,
                                                  std::ptrdiff_t panel) noexcept {
  FourSums sums = four_sums<4>(product, first_row, panel);
  const float* a = product.a + first_row * product.a_row;
  const float* a1 = a + product.a_row;
  const float* a2 = a1 + product.a_row;
  const float* a3 = a2 + product.a_row;
  const float* b = product.b + panel * product.b_panel;
  const std::ptrdiff_t b_step = product.b_step * std::ptrdiff_t{sizeof(float)};
  std::uint32_t blocks = product.depth / 8;
  std::uint32_t left = product.depth % 8;
  asm volatile(
      HEED_LOOPS(
          HEED_LOAD_EVEN("b")
          "ldr q8, [%[a0]], #16\n"
          "ldr q9, [%[a1]], #16\n"
          "ldr q10, [%[a2]], #16\n"
          "ldr q11, [%[a3]], #16\n"
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_ROWS(EVEN, "0")
          HEED_LOAD_EVEN("b")
          HEED_STEP_OF_ROWS(ODD, "1")
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_ROWS(EVEN, "2")
          HEED_LOAD_EVEN("b")
          // The fourth step lets go of its factors one by one, and those of the next four steps take their places.
          HEED_SUM0(ODD, "v8.s[3]")
          "ldr q8, [%[a0]], #16\n"
          HEED_SUM1(ODD, "v9.s[3]")
          "ldr q9, [%[a1]], #16\n"
          HEED_SUM2(ODD, "v10.s[3]")
          "ldr q10, [%[a2]], #16\n"
          HEED_SUM3(ODD, "v11.s[3]")
          "ldr q11, [%[a3]], #16\n"
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_ROWS(EVEN, "0")
          HEED_LOAD_EVEN("b")
          HEED_STEP_OF_ROWS(ODD, "1")
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_ROWS(EVEN, "2")
          HEED_STEP_OF_ROWS(ODD, "3"),

          HEED_LOAD_EVEN("b")
          "ldr s8, [%[a0]], #4\n"
          "ldr s9, [%[a1]], #4\n"
          "ldr s10, [%[a2]], #4\n"
          "ldr s11, [%[a3]], #4\n"
          HEED_STEP_OF_ROWS(EVEN, "0"))
      : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b), [blocks] "+r"(blocks),
        [left] "+r"(left), [start] "+r"(sums.start), [end] "+r"(sums.end)
      : [b_step] "r"(b_step), [start_step] "r"(sums.start_step), [end_step] "r"(sums.end_step),
        [maxima] "r"(sums.column_maxima)
      : HEED_CLOBBERED);
}

/// Four rows of A that lie side by side, eight steps at a time.
[[gnu::noinline]] inline void add_adjacent_rows(const Gemm& product, std::ptrdiff_t first_row,
                                                std::ptrdiff_t panel) noexcept {
  FourSums sums = four_sums<4>(product, first_row, panel);
  const float* a = product.a + first_row;
  const std::ptrdiff_t a_step = product.a_step * std::ptrdiff_t{sizeof(float)};
  const float* b = product.b + panel * product.b_panel;
  const std::ptrdiff_t b_step = product.b_step * std::ptrdiff_t{sizeof(float)};
  std::uint32_t blocks = product.depth / 8;
  std::uint32_t left = product.depth % 8;
  asm volatile(
      HEED_LOOPS(
          HEED_LOAD_EVEN("b")
          HEED_LOAD_A("v8")
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_LANES(EVEN, "v8", HEED_LOAD_A("v9"))
          HEED_LOAD_EVEN("b")
          HEED_STEP_OF_LANES(ODD, "v9", HEED_LOAD_A("v10"))
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_LANES(EVEN, "v10", HEED_LOAD_A("v11"))
          HEED_LOAD_EVEN("b")
          HEED_STEP_OF_LANES(ODD, "v11", HEED_LOAD_A("v8"))
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_LANES(EVEN, "v8", HEED_LOAD_A("v9"))
          HEED_LOAD_EVEN("b")
          HEED_STEP_OF_LANES(ODD, "v9", HEED_LOAD_A("v10"))
          HEED_LOAD_ODD("b")
          HEED_STEP_OF_LANES(EVEN, "v10", HEED_LOAD_A("v11"))
          HEED_STEP_OF_LANES(ODD, "v11", ""),

          HEED_LOAD_EVEN("b")
          HEED_LOAD_A("v8")
          HEED_STEP_OF_LANES(EVEN, "v8", ""))
      : [a] "+r"(a), [b] "+r"(b), [blocks] "+r"(blocks), [left] "+r"(left), [start] "+r"(sums.start),
        [end] "+r"(sums.end)
      : [a_step] "r"(a_step), [b_step] "r"(b_step), [start_step] "r"(sums.start_step),
        [end_step] "r"(sums.end_step), [maxima] "r"(sums.column_maxima)
      : HEED_CLOBBERED);
}

/// One row of A whose steps lie side by side with four panels of B, four steps at a time.
[[gnu::noinline]] inline void add_one_row(const Gemm& product, std::ptrdiff_t first_row,
                                          std::ptrdiff_t panel) noexcept {
  FourSums sums = four_sums<1>(product, first_row, panel);
  const float* a = product.a + first_row * product.a_row;
  const float* b = product.b + panel * product.b_panel;
  const float* b1 = b + product.b_panel;
  const float* b2 = b1 + product.b_panel;
  const float* b3 = b2 + product.b_panel;
  const std::ptrdiff_t b_step = product.b_step * std::ptrdiff_t{sizeof(float)};
  std::uint32_t blocks = product.depth / 4;
  std::uint32_t left = product.depth % 4;
  asm volatile(
      HEED_LOOPS(
          HEED_LOAD_EVEN("b0")
          "ldr q8, [%[a]], #16\n"
          HEED_STEP_OF_PANELS("0", HEED_LOAD_EVEN("b0"))
          HEED_STEP_OF_PANELS("1", HEED_LOAD_EVEN("b0"))
          HEED_STEP_OF_PANELS("2", HEED_LOAD_EVEN("b0"))
          HEED_STEP_OF_PANELS("3", ""),

          HEED_LOAD_EVEN("b0")
          "ldr s8, [%[a]], #4\n"
          HEED_STEP_OF_PANELS("0", ""))
      : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [blocks] "+r"(blocks),
        [left] "+r"(left), [start] "+r"(sums.start), [end] "+r"(sums.end)
      : [b_step] "r"(b_step), [start_step] "r"(sums.start_step), [end_step] "r"(sums.end_step),
        [maxima] "r"(sums.column_maxima)
      : HEED_CLOBBERED);
}

// clang-format on
#undef HEED_LOAD_SUMS
#undef HEED_MAX4
#undef HEED_STORE_SUMS
#undef HEED_FMA4
#undef HEED_EVEN
#undef HEED_ODD
#undef HEED_SUM0
#undef HEED_SUM1
#undef HEED_SUM2
#undef HEED_SUM3
#undef HEED_LOAD_EVEN
#undef HEED_LOAD_ODD
#undef HEED_LOAD_A
#undef HEED_STEP_OF_ROWS
#undef HEED_STEP_OF_LANES
#undef HEED_STEP_OF_PANELS
#undef HEED_LOOPS
#undef HEED_CLOBBERED

}  // namespace heed::detail
