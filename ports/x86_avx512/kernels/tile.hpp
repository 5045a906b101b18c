// SPDX-License-Identifier: MIT
//
// A tile is fed from the first-level cache, by a load for each factor of A and one for each row of B. Two fused
// multiply-adds start in a cycle, on ports that integer arithmetic shares: every address that is computed on the way is
// a product less, so the two products of attention walk with strides that are known when compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <kernels/panel_pairs.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Other tiles are few.
constexpr bool prefetches_rows(int rows) noexcept {
  return rows == pair_rows;
}

/// Rows of A that one pointer serves; their distances from it stay in registers, the same for every pointer.
inline constexpr int rows_of_a_pointer = 4;

/// Strides of a product that are known when compiled; 0: only the product knows.
struct TileWalk {
  std::ptrdiff_t a_row;
  std::ptrdiff_t a_step;
  std::ptrdiff_t b_step;
};
inline constexpr TileWalk any_walk = {0, 0, 0};
inline constexpr TileWalk row_walk = {0, 1, port::lanes};     ///< rows of A times a panel of B: scores, projections
inline constexpr TileWalk column_walk = {1, port::lanes, 0};  ///< columns of A, sixteen rows each: values

/// Where a tile is in A and B, on its way over the depth.
template <TileWalk Walk, int Rows, int Panels, bool Partial>
class TileFactors {
 public:
  [[gnu::always_inline]] TileFactors(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                     int lanes) noexcept
      : a_step_(Walk.a_step != 0 ? Walk.a_step : product.a_step),
        b_step_(Walk.b_step != 0 ? Walk.b_step : product.b_step),
        b_panel_(product.b_panel),
        b_(product.b + first_panel * product.b_panel),
        lanes_(lanes) {
    const std::ptrdiff_t a_row = Walk.a_row != 0 ? Walk.a_row : product.a_row;
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) a_[g] = product.a + (first_row + std::ptrdiff_t{rows_of_a_pointer} * g) * a_row;
#pragma GCC unroll 4
    for (int r = 0; r < rows_of_a_pointer; ++r) row_[r] = r * a_row;
  }

  [[nodiscard]] const float* b() const noexcept {
    return b_;
  }

  /// Adds the product of the column of A and the row of B that lie `step` steps ahead.
  [[gnu::always_inline]] void add_step(int step, Sums<Rows, Panels>& sums) noexcept {
    using namespace port;
    // Without this gcc keeps row + step in a register for every step of a turn, of which there are too few.
    if constexpr (Walk.a_row == 0 && Walk.a_step != 0) asm("" : "+r"(row_[1]), "+r"(row_[2]), "+r"(row_[3]));
    f32x16 panel[std::size_t{Panels}];
#pragma GCC unroll 8
    for (int p = 0; p < Panels; ++p) {
      const float* from = b_ + step * Walk.b_step + p * b_panel_;
      panel[p] = Partial ? load_partial(from, lanes_) : load(from);
    }
#pragma GCC unroll 32
    for (int r = 0; r < Rows; ++r) {
      const float* from =
          Walk.a_row != 0 ? a_[0] + r * Walk.a_row : a_[r / rows_of_a_pointer] + row_[r % rows_of_a_pointer];
      const f32x16 factor = set(from[step * Walk.a_step]);
#pragma GCC unroll 8
      for (int p = 0; p < Panels; ++p) sums.of[r][p] = fma(factor, panel[p], sums.of[r][p]);
    }
    if constexpr (Walk.b_step == 0) b_ += b_step_;
  }

  [[gnu::always_inline]] void go_on(int steps) noexcept {
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) a_[g] += steps * a_step_;
    if constexpr (Walk.b_step != 0) b_ += steps * b_step_;
  }

 private:
  static constexpr int groups = Walk.a_row != 0 ? 1 : (Rows + rows_of_a_pointer - 1) / rows_of_a_pointer;

  std::ptrdiff_t a_step_;
  std::ptrdiff_t b_step_;
  std::ptrdiff_t b_panel_;
  const float* a_[std::size_t{groups}];
  const float* b_;
  std::ptrdiff_t row_[std::size_t{rows_of_a_pointer}];
  int lanes_;
};

/// Steps between two jumps where constants tell them apart.
inline constexpr int steps_of_a_turn = 8;

/// sums = start + A B. The first turn from 0 is a copy of its own, so that the zeros take no instructions between
/// tiles. With LongRows, each tile asks for its part of the next panels of B, which are weights and come from afar: a
/// line of sixteen floats in each turn, so that eight tiles have asked for a panel.
template <TileWalk Walk, int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void add_products(const Gemm& product, std::ptrdiff_t first_row,
                                                std::ptrdiff_t first_panel, int lanes,
                                                Sums<Rows, Panels>& sums) noexcept {
  using namespace port;
  TileFactors<Walk, Rows, Panels, Partial> factors(product, first_row, first_panel, lanes);
  const float* const begin = factors.b();
  std::ptrdiff_t ahead = Panels * product.b_panel + first_row / Rows * (product.depth / steps_of_a_turn) * port::lanes;
  const auto add_turn = [&]() __attribute__((always_inline)) {
    if constexpr (LongRows) {
      prefetch_far(begin, ahead);
      ahead += port::lanes;
    }
#pragma GCC unroll 8
    for (int step = 0; step < steps_of_a_turn; ++step) factors.add_step(step, sums);
    factors.go_on(steps_of_a_turn);
  };

  std::uint32_t left = product.depth;
  const bool turns = Walk.a_step != 0 && left >= steps_of_a_turn;
  if (turns && product.start == nullptr) {
    sums = {};
    add_turn();
    left -= steps_of_a_turn;
  } else {
    start_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
  }
  if constexpr (Walk.a_step != 0) {
    for (; left >= steps_of_a_turn; left -= steps_of_a_turn) add_turn();
  }
  for (; left != 0; --left) {
    factors.add_step(0, sums);
    factors.go_on(1);
  }
}

/// The greatest sum of each column joins `maxima`, in four chains: one alone would be longer than what the CPU has in
/// flight of the next tile.
template <int Rows, int Panels>
[[gnu::always_inline]] inline void join_maxima_in_chains(const Sums<Rows, Panels>& sums, float* maxima) noexcept {
  using namespace port;
#pragma GCC unroll 4
  for (int p = 0; p < Panels; ++p) {
    f32x16 greatest[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) greatest[r] = sums.of[r < Rows ? r : 0][p];
#pragma GCC unroll 32
    for (int r = 4; r < Rows; ++r) greatest[r % 4] = max(greatest[r % 4], sums.of[r][p]);
    const f32x16 joined = max(max(greatest[0], greatest[1]), max(greatest[2], greatest[3]));
    float* const to = maxima + std::ptrdiff_t{lanes} * p;
    store(to, max(load(to), joined));
  }
}

/// Rows x Panels sums held in registers over the whole depth. With Partial, the (single) panel has only `lanes`
/// columns. With LongRows, B is long, too, and its next panels are asked for on the way.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile_in_registers(const Gemm& product, std::ptrdiff_t first_row,
                                                     std::ptrdiff_t first_panel, int lanes) noexcept {
  static_assert(!Partial || Panels == 1);
  Sums<Rows, Panels> sums;
  constexpr bool half_tile = Rows == port::tile_rows / 2;
  constexpr bool whole = (Panels == 1 ? Rows == port::tile_rows : half_tile || Rows == pair_rows) && !Partial;
  if (whole && product.a_step == row_walk.a_step && product.b_step == row_walk.b_step) {
    add_products<whole ? row_walk : any_walk, Rows, Panels, Partial, LongRows>(product, first_row, first_panel, lanes,
                                                                               sums);
  } else if (whole && product.a_row == column_walk.a_row && product.a_step == column_walk.a_step) {
    add_products<whole ? column_walk : any_walk, Rows, Panels, Partial, false>(product, first_row, first_panel, lanes,
                                                                               sums);
  } else {
    add_products<any_walk, Rows, Panels, Partial, false>(product, first_row, first_panel, lanes, sums);
  }

  if constexpr (Panels <= 2 && !Partial) {
    if (product.column_maxima != nullptr) {
      join_maxima_in_chains<Rows, Panels>(sums, product.column_maxima + first_panel * port::lanes);
    }
  }
  store_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
}

/// Sums that find a register each, beside rows of B and a factor.
inline constexpr int most_sums = 24;

/// Half of the rows and then the others, where all sums together are too many.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  if constexpr (Rows * Panels > most_sums) {
    constexpr int half = (Rows + 1) / 2;
    tile_in_registers<half, Panels, Partial, LongRows>(product, first_row, first_panel, lanes);
    tile_in_registers<Rows - half, Panels, Partial, LongRows>(product, first_row + half, first_panel, lanes);
  } else {
    tile_in_registers<Rows, Panels, Partial, LongRows>(product, first_row, first_panel, lanes);
  }
}

}  // namespace heed::detail
