// SPDX-License-Identifier: MIT
//
// The loops over the depth of a product, with up to six sums of four lanes in registers. Loads and multiply-adds
// alternate where they can: the core overlaps them. The loop instructions cost no compare, and a count of 0 passes by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Rows x Quads sums of four lanes.
template <int Rows, int Quads>
struct QuadSums {
  float32x4_t of[Rows][Quads];
};

/// What goes into them: rows of A, and rows of B [depth, 4 Quads]. Strides in floats.
struct Factors {
  const float* a;
  std::ptrdiff_t a_row;
  std::ptrdiff_t a_step;
  const float* b;
  std::ptrdiff_t b_step;
  std::uint32_t depth;
};

/// Where B is a panel, its rows are 64 bytes apart.
inline constexpr std::ptrdiff_t panel_step = port::lanes;

constexpr std::ptrdiff_t bytes(std::ptrdiff_t floats) noexcept {
  return floats * std::ptrdiff_t{sizeof(float)};
}

/// Any strides, and what the loops below leave over.
template <int Rows, int Quads>
[[gnu::always_inline]] inline void add_steps(const Factors& factors, std::uint32_t steps,
                                             QuadSums<Rows, Quads>& sums) noexcept {
  const float* a = factors.a;
  const float* b = factors.b;
  for (; steps != 0; --steps, a += factors.a_step, b += factors.b_step) {
#pragma GCC unroll 4
    for (int q = 0; q < Quads; ++q) {
      const float32x4_t quad = vld1q_f32(b + 4 * q);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) sums.of[r][q] = vfmaq_n_f32(sums.of[r][q], quad, a[r * factors.a_row]);
    }
  }
}

// The first quad of B's row; then the pointer stands at the next row: in a panel, or anywhere.
#define HEED_PANEL(quad) "vldrw.u32 " quad ", [%[b]], #64\n"
#define HEED_ROWS(quad) "vldrw.u32 " quad ", [%[b]]\n add %[b], %[b], %[b_step]\n"
#define HEED_CLOBBERED "memory", "lr", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31"

#define HEED_ROW_STEP(next, factor)                                                                            \
  "vldrw.u32 q4, [%[b], #16]\n vldrw.u32 q5, [%[b], #32]\n vfma.f32 %q[s1], q4, " factor                       \
  "\n vldrw.u32 q6, [%[b], #48]\n vfma.f32 %q[s2], q5, " factor "\n" next("q7") "vfma.f32 %q[s3], q6, " factor \
                                                                                "\n vfma.f32 %q[s0], q7, " factor "\n"
#define HEED_ADD_ROW(next)                                                                                          \
  asm volatile(                                                                                                     \
      "wls lr, %[rounds], 2f\n"                                                                                     \
      "1:\n"                                                                                                        \
      "ldm %[a]!, {r4, r5, r6, r8}\n" HEED_ROW_STEP(next, "r4") HEED_ROW_STEP(next, "r5") HEED_ROW_STEP(next, "r6") \
          HEED_ROW_STEP(next, "r8") "le lr, 1b\n 2:\n"                                                              \
      : [a] "+r"(left.a), [b] "+r"(left.b), [s0] "+w"(sums.of[0][0]), [s1] "+w"(sums.of[0][1]),                     \
        [s2] "+w"(sums.of[0][2]), [s3] "+w"(sums.of[0][3])                                                          \
      : [rounds] "r"(left.depth / 4), [b_step] "r"(b_step)                                                          \
      : HEED_CLOBBERED, "r4", "r5", "r6", "r8", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23")

/// One row of A with sixteen columns of B, four steps a round where the steps of A lie side by side.
inline void add_products(const Factors& factors, QuadSums<1, 4>& sums) noexcept {
  if (factors.a_step != 1) return add_steps(factors, factors.depth, sums);
  Factors left = factors;
  const std::ptrdiff_t b_step = bytes(left.b_step);
  if (left.b_step == panel_step) {
    HEED_ADD_ROW(HEED_PANEL);
  } else {
    HEED_ADD_ROW(HEED_ROWS);
  }
  add_steps(left, left.depth % 4, sums);
}

// Two steps on eight columns: factors f, then g; sums l of the low four columns and h of the high ones.
#define HEED_TWO_STEPS(next, pairs, fma)                                                                               \
  "wls lr, %[f0], 2f\n"                                                                                                \
  "1:\n"                                                                                                               \
  "vldrw.u32 q7, [%[b], #16]\n" pairs next("q6") fma("h", "q7", "f") "vldrw.u32 q7, [%[b], #16]\n" fma("l", "q6", "f") \
      next("q6") fma("h", "q7", "g") fma("l", "q6", "g") "le lr, 1b\n 2:\n"
#define HEED_PAIR(row) "ldrd %[f" row "], %[g" row "], [%[a" row "]], #8\n"
#define HEED_FMA(sum, quad, factor, row) "vfma.f32 %q[" sum row "], " quad ", %[" factor row "]\n"
#define HEED_FMA2(sum, quad, factor) HEED_FMA(sum, quad, factor, "0") HEED_FMA(sum, quad, factor, "1")
#define HEED_FMA3(sum, quad, factor) HEED_FMA2(sum, quad, factor) HEED_FMA(sum, quad, factor, "2")
#define HEED_TWO_ROWS(next)                                                                                            \
  asm volatile(                                                                                                        \
      HEED_TWO_STEPS(next, HEED_PAIR("0") HEED_PAIR("1"), HEED_FMA2)                                                   \
      : [a0] "+r"(a[0]), [a1] "+r"(a[1]), [b] "+r"(b), [f0] "+&r"(f0), [f1] "=&r"(f1), [g0] "=&r"(g0), [g1] "=&r"(g1), \
        [l0] "+w"(sums.of[0][0]), [h0] "+w"(sums.of[0][1]), [l1] "+w"(sums.of[1][0]), [h1] "+w"(sums.of[1][1])         \
      : [b_step] "r"(b_step)                                                                                           \
      : HEED_CLOBBERED)
#define HEED_THREE_ROWS(next)                                                                                    \
  asm volatile(HEED_TWO_STEPS(next, HEED_PAIR("0") HEED_PAIR("1") HEED_PAIR("2"), HEED_FMA3)                     \
               : [a0] "+r"(a[0]), [a1] "+r"(a[1]), [a2] "+r"(a[2]), [b] "+r"(b), [f0] "+&r"(f0), [f1] "=&r"(f1), \
                 [f2] "=&r"(f2), [g0] "=&r"(g0), [g1] "=&r"(g1), [g2] "=&r"(g2), [l0] "+w"(sums.of[0][0]),       \
                 [h0] "+w"(sums.of[0][1]), [l1] "+w"(sums.of[1][0]), [h1] "+w"(sums.of[1][1]),                   \
                 [l2] "+w"(sums.of[2][0]), [h2] "+w"(sums.of[2][1])                                              \
               : [b_step] "r"(b_step)                                                                            \
               : HEED_CLOBBERED)

/// Two or three rows of A whose steps lie side by side, with eight columns of B: two steps a round.
template <int Rows>
inline void add_products(const Factors& factors, QuadSums<Rows, 2>& sums) noexcept {
  const float* a[Rows];
#pragma GCC unroll 3
  for (int r = 0; r < Rows; ++r) a[r] = factors.a + r * factors.a_row;
  const float* b = factors.b;
  const std::ptrdiff_t b_step = bytes(factors.b_step);
  std::uint32_t f0 = factors.depth / 2;
  std::uint32_t f1;
  std::uint32_t g0;
  std::uint32_t g1;
  if constexpr (Rows == 2) {
    if (factors.b_step == panel_step) {
      HEED_TWO_ROWS(HEED_PANEL);
    } else {
      HEED_TWO_ROWS(HEED_ROWS);
    }
  } else {
    std::uint32_t f2;
    std::uint32_t g2;
    if (factors.b_step == panel_step) {
      HEED_THREE_ROWS(HEED_PANEL);
    } else {
      HEED_THREE_ROWS(HEED_ROWS);
    }
  }
  if (factors.depth % 2 != 0) add_steps({a[0], factors.a_row, 1, b, factors.b_step, 1}, 1, sums);
}

#define HEED_LANES_STEP(next, registers, fma) "ldm %[a], {" registers "}\n" next("q7") "add %[a], %[a], %[a_step]\n" fma
#define HEED_ADD_LANES(next, registers, fma, ...)                                                           \
  asm volatile(                                                                                             \
      "wls lr, %[pairs], 2f\n"                                                                              \
      "1:\n" HEED_LANES_STEP(next, registers, fma) HEED_LANES_STEP(next, registers, fma) "le lr, 1b\n 2:\n" \
      : [a] "+r"(left.a), [b] "+r"(left.b), __VA_ARGS__                                                     \
      : [pairs] "r"(left.depth / 2), [a_step] "r"(a_step), [b_step] "r"(b_step)                             \
      : HEED_CLOBBERED, "r4", "r5", "r6", "r8", "r9", "r10")
#define HEED_LANE(row, factor) "vfma.f32 %q[s" row "], q7, " factor "\n"
#define HEED_SUM(row) [s##row] "+w"(sums.of[row][0])
#define HEED_LANES2 HEED_LANE("0", "r4") HEED_LANE("1", "r5")
#define HEED_LANES3 HEED_LANES2 HEED_LANE("2", "r6")
#define HEED_LANES4 HEED_LANES3 HEED_LANE("3", "r8")
#define HEED_LANES5 HEED_LANES4 HEED_LANE("4", "r9")
#define HEED_LANES6 HEED_LANES5 HEED_LANE("5", "r10")
#define HEED_LANES_OF(next)                                                                                        \
  if constexpr (Rows == 2) HEED_ADD_LANES(next, "r4, r5", HEED_LANES2, HEED_SUM(0), HEED_SUM(1));                  \
  if constexpr (Rows == 3) HEED_ADD_LANES(next, "r4, r5, r6", HEED_LANES3, HEED_SUM(0), HEED_SUM(1), HEED_SUM(2)); \
  if constexpr (Rows == 4)                                                                                         \
    HEED_ADD_LANES(next, "r4, r5, r6, r8", HEED_LANES4, HEED_SUM(0), HEED_SUM(1), HEED_SUM(2), HEED_SUM(3));       \
  if constexpr (Rows == 5)                                                                                         \
    HEED_ADD_LANES(next, "r4, r5, r6, r8, r9", HEED_LANES5, HEED_SUM(0), HEED_SUM(1), HEED_SUM(2), HEED_SUM(3),    \
                   HEED_SUM(4));                                                                                   \
  if constexpr (Rows == 6)                                                                                         \
  HEED_ADD_LANES(next, "r4, r5, r6, r8, r9, r10", HEED_LANES6, HEED_SUM(0), HEED_SUM(1), HEED_SUM(2), HEED_SUM(3), \
                 HEED_SUM(4), HEED_SUM(5))

/// Two to six rows of A that lie side by side, with four columns of B.
template <int Rows>
inline void add_products(const Factors& factors, QuadSums<Rows, 1>& sums) noexcept {
  static_assert(Rows >= 2 && Rows <= 6);
  Factors left = factors;
  const std::ptrdiff_t a_step = bytes(left.a_step);
  const std::ptrdiff_t b_step = bytes(left.b_step);
  if (left.b_step == panel_step) {
    HEED_LANES_OF(HEED_PANEL);
  } else {
    HEED_LANES_OF(HEED_ROWS);
  }
  add_steps(left, left.depth % 2, sums);
}

#undef HEED_PANEL
#undef HEED_ROWS
#undef HEED_CLOBBERED
#undef HEED_ROW_STEP
#undef HEED_ADD_ROW
#undef HEED_TWO_STEPS
#undef HEED_PAIR
#undef HEED_FMA
#undef HEED_FMA2
#undef HEED_FMA3
#undef HEED_TWO_ROWS
#undef HEED_THREE_ROWS
#undef HEED_LANES_STEP
#undef HEED_ADD_LANES
#undef HEED_LANE
#undef HEED_SUM
#undef HEED_LANES2
#undef HEED_LANES3
#undef HEED_LANES4
#undef HEED_LANES5
#undef HEED_LANES6
#undef HEED_LANES_OF

}  // namespace heed::detail
