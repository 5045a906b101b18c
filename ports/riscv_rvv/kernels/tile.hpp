// SPDX-License-Identifier: MIT
//
// A multiply-add takes its factor from a scalar register, which a load with a constant offset fills, so that beside the
// products there is little but the arithmetic of pointers. Rows of A that lie side by side share one pointer; rows
// whose steps lie side by side have one each, which moves once in eight steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

constexpr bool prefetches_rows(int /*rows*/) noexcept {
  return false;
}

/// Steps of a row between two moves of its pointer.
inline constexpr std::uint32_t steps_of_a_move = 8;

/// A and B where a tile stands in them.
template <int Rows>
struct TilePlace {
  const float* a[std::size_t{Rows}];
  const float* b;
};

/// sums += column of A, `step` floats after where the tile stands, x row of B.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void add_step(const Gemm& product, int lanes, std::ptrdiff_t step,
                                            const TilePlace<Rows>& place, Sums<Rows, Panels>& sums) noexcept {
  using namespace port;
#pragma GCC unroll 16
  for (int p = 0; p < Panels; ++p) {
    const f32x16 row = Partial ? load_partial(place.b, lanes) : load(place.b + p * product.b_panel);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) sums.of[r][p] = fma(set(place.a[r][step]), row, sums.of[r][p]);
  }
}

/// Rows whose steps lie side by side; answers the steps that are left, fewer than a move has.
template <int Rows, int Panels>
[[gnu::always_inline]] inline std::uint32_t add_moves(const Gemm& product, std::uint32_t steps, TilePlace<Rows>& place,
                                                      Sums<Rows, Panels>& sums) noexcept {
  for (; steps >= steps_of_a_move; steps -= steps_of_a_move) {
#pragma GCC unroll 16
    for (std::ptrdiff_t step = 0; step < std::ptrdiff_t{steps_of_a_move}; ++step) {
      add_step<Rows, Panels, false>(product, port::lanes, step, place, sums);
      place.b += product.b_step;
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) place.a[r] += steps_of_a_move;
  }
  return steps;
}

/// Rows that lie side by side: element r of a step is r floats after the first.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void add_adjacent(const Gemm& product, std::uint32_t steps, TilePlace<Rows>& place,
                                                Sums<Rows, Panels>& sums) noexcept {
#pragma clang loop unroll_count(4)
  for (; steps != 0; --steps) {
#pragma GCC unroll 16
    for (int r = 1; r < Rows; ++r) place.a[r] = place.a[0] + r;
    add_step<Rows, Panels, false>(product, port::lanes, 0, place, sums);
    place.a[0] += product.a_step;
    place.b += product.b_step;
  }
}

/// Any strides, and a panel of fewer than sixteen columns.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void add_steps(const Gemm& product, std::uint32_t steps, int lanes,
                                             TilePlace<Rows>& place, Sums<Rows, Panels>& sums) noexcept {
  for (; steps != 0; --steps) {
#pragma GCC unroll 16
    for (int r = 1; r < Rows; ++r) place.a[r] = place.a[0] + r * product.a_row;
    add_step<Rows, Panels, Partial>(product, lanes, 0, place, sums);
    place.a[0] += product.a_step;
    place.b += product.b_step;
  }
}

/// Rows x Panels sums held in registers over the whole depth. With Partial, the (single) panel has only `lanes`
/// columns. LongRows is false.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  static_assert(!LongRows && (!Partial || Panels == 1));
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
  TilePlace<Rows> place;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) place.a[r] = product.a + (first_row + r) * product.a_row;
  place.b = product.b + first_panel * product.b_panel;

  std::uint32_t left = product.depth;
  if constexpr (!Partial) {
    if (product.a_step == 1) {
      left = add_moves(product, left, place, sums);
    } else if (product.a_row == 1) {
      add_adjacent(product, left, place, sums);
      left = 0;
    }
  }
  add_steps<Rows, Panels, Partial>(product, left, lanes, place, sums);

  if constexpr (Panels == 1 && !Partial) {
    if (product.column_maxima != nullptr) join_maxima<Rows>(sums, product.column_maxima);
  }
  store_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
}

}  // namespace heed::detail
