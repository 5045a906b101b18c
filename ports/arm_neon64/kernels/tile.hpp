// SPDX-License-Identifier: MIT
//
// The product's tile where a multiply-add takes its factor from any lane of a register: four sums at once where there
// are as many, and one load for four factors of a row everywhere else.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <port.hpp>

#include "../detail/four_sums.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

/// Where a tile stands in A and B.
struct TilePlace {
  const float* a;
  const float* b;
};

[[gnu::always_inline]] inline float32x4x4_t load_row(const float* b) noexcept {
  return vld1q_f32_x4(b);
}

[[gnu::always_inline]] inline float32x4x4_t load_row(const float* b, int lanes) noexcept {
  const port::f32x16 row = port::load_partial(b, lanes);
  return {{row.low.low.leaf, row.low.high.leaf, row.high.low.leaf, row.high.high.leaf}};
}

/// sum += lane `Lane` of factors * row of B.
template <int Lane>
[[gnu::always_inline]] inline void add_row(float32x4_t factors, const float32x4x4_t& b, port::f32x16& sum) noexcept {
  sum.low.low.leaf = vfmaq_laneq_f32(sum.low.low.leaf, b.val[0], factors, Lane);
  sum.low.high.leaf = vfmaq_laneq_f32(sum.low.high.leaf, b.val[1], factors, Lane);
  sum.high.low.leaf = vfmaq_laneq_f32(sum.high.low.leaf, b.val[2], factors, Lane);
  sum.high.high.leaf = vfmaq_laneq_f32(sum.high.high.leaf, b.val[3], factors, Lane);
}

/// sum += factor * row of B.
[[gnu::always_inline]] inline void add_row(float factor, const float32x4x4_t& b, port::f32x16& sum) noexcept {
  sum.low.low.leaf = vfmaq_n_f32(sum.low.low.leaf, b.val[0], factor);
  sum.low.high.leaf = vfmaq_n_f32(sum.low.high.leaf, b.val[1], factor);
  sum.high.low.leaf = vfmaq_n_f32(sum.high.low.leaf, b.val[2], factor);
  sum.high.high.leaf = vfmaq_n_f32(sum.high.high.leaf, b.val[3], factor);
}

/// One step of A in lane `Lane` of every row's factors.
template <int Lane, int Rows, int Panels>
[[gnu::always_inline]] inline void add_lane(const Gemm& product, const float32x4_t (&factors)[Rows], TilePlace& place,
                                            Sums<Rows, Panels>& sums) noexcept {
#pragma GCC unroll 16
  for (int p = 0; p < Panels; ++p) {
    const float32x4x4_t b = load_row(place.b + p * product.b_panel);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) add_row<Lane>(factors[r], b, sums.of[r][p]);
  }
  place.b += product.b_step;
}

/// Four steps at a time of rows that are contiguous; answers the steps that are left, 0..3.
template <int Rows, int Panels>
[[gnu::always_inline]] inline std::uint32_t add_fours(const Gemm& product, std::uint32_t steps, TilePlace& place,
                                                      Sums<Rows, Panels>& sums) noexcept {
  for (; steps >= 4; steps -= 4) {
    float32x4_t factors[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) factors[r] = vld1q_f32(place.a + r * product.a_row);
    place.a += 4;
    add_lane<0>(product, factors, place, sums);
    add_lane<1>(product, factors, place, sums);
    add_lane<2>(product, factors, place, sums);
    add_lane<3>(product, factors, place, sums);
  }
  return steps;
}

/// Any strides, and a panel of fewer than sixteen columns.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void add_steps(const Gemm& product, std::uint32_t steps, int lanes, TilePlace& place,
                                             Sums<Rows, Panels>& sums) noexcept {
  for (; steps != 0; --steps) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      const float32x4x4_t b = Partial ? load_row(place.b, lanes) : load_row(place.b + p * product.b_panel);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        add_row(place.a[r * product.a_row], b, sums.of[r][p]);
      }
    }
    place.a += product.a_step;
    place.b += product.b_step;
  }
}

/// Rows x Panels sums held in registers over the whole depth. With Partial, the (single) panel has only `lanes`
/// columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  static_assert(!Partial || Panels == 1);
  static_assert(Rows <= 4 && !LongRows);
  if constexpr (Rows == 4 && !Partial) {
    if (product.a_step == 1) return add_contiguous_rows(product, first_row, first_panel);
    if (product.a_row == 1) return add_adjacent_rows(product, first_row, first_panel);
  }
  if constexpr (Panels == 4 && !Partial) {
    if (product.a_step == 1) return add_one_row(product, first_row, first_panel);
  }
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
  TilePlace place{product.a + first_row * product.a_row, product.b + first_panel * product.b_panel};
  std::uint32_t left = product.depth;
  if constexpr (!Partial) {
    if (product.a_step == 1) left = add_fours(product, left, place, sums);
  }
  add_steps<Rows, Panels, Partial>(product, left, lanes, place, sums);
  if constexpr (Panels == 1 && !Partial) {
    if (product.column_maxima != nullptr) join_maxima<Rows>(sums, product.column_maxima);
  }
  store_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
}

}  // namespace heed::detail
