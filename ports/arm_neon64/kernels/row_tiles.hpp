// SPDX-License-Identifier: MIT
//
// The product's tile where a multiply-add takes its factor from any lane of a register: four sums at once where there
// are as many, and one load for four factors of a row everywhere else.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <neon_partial_panel.hpp>
#include <port.hpp>

#include "../detail/four_sums.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Where a tile stands in A and B.
struct TilePlace {
  const float* a;
  const float* b;
};

[[gnu::always_inline]] inline float32x4x4_t load_row(const float* b) noexcept {
  return vld1q_f32_x4(b);
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
[[gnu::always_inline]] inline void add_lane(const Gemm& product, const float32x4_t (&factors)[std::size_t{Rows}],
                                            TilePlace& place, Sums<Rows, Panels>& sums) noexcept {
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
    float32x4_t factors[std::size_t{Rows}];
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

/// Any strides.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void add_steps(const Gemm& product, std::uint32_t steps, TilePlace& place,
                                             Sums<Rows, Panels>& sums) noexcept {
  for (; steps != 0; --steps) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      const float32x4x4_t b = load_row(place.b + p * product.b_panel);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) add_row(place.a[r * product.a_row], b, sums.of[r][p]);
    }
    place.a += product.a_step;
    place.b += product.b_step;
  }
}

/// Rows x Panels sums held in registers over the whole depth.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, false>(product, row, panel, 0, sums);
  TilePlace place{product.a + row * product.a_row, product.b + panel * product.b_panel};
  std::uint32_t left = product.depth;
  if (product.a_step == 1) left = add_fours(product, left, place, sums);
  add_steps(product, left, place, sums);
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
  const bool contiguous = product.a_step == 1;
  if (rows == 4 && contiguous) {
    for (; panel < end; ++panel) add_contiguous_rows(product, row, panel);
  } else if (rows == 4 && product.a_row == 1) {
    for (; panel < end; ++panel) add_adjacent_rows(product, row, panel);
  } else if (rows == 1) {
    if (contiguous) {
      for (; panel + 4 <= end; panel += 4) add_one_row(product, row, panel);
    }
    multiply_tiles<1, 1>(product, row, panel, end);
  } else if (rows == 2) {
    panel = multiply_tiles<2, 2>(product, row, panel, end);
    multiply_tiles<2, 1>(product, row, panel, end);
  } else {
    multiply_tiles<3, 1>(product, row, panel, end);
    if (rows == 4) multiply_tiles<1, 1>(product, row + 3, panel, end);
  }
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
