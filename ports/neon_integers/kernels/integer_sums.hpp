// SPDX-License-Identifier: MIT
//
// Sums of products of integers with NEON, whatever a port multiplies with. Its detail/integer_tile.hpp defines
// `integer_rows` and
//
//   tile_height<rows>           the most rows of a tile, a power of two
//   tile_quads<rows>(height)    the quads of a tile with so many rows, a divisor of 4
//   IntegerTile<weights, rows, height, quads>, sums that begin at 0, with
//     from(numbers, first)      where a tile finds the numbers of a row from input `first` of it on
//     add<count>(w, x, k)       adds inputs [k, k + count), of `step`, or 16 or 8 if that is more; w is the panel from
//     the
//                               tile's first quad on, and x has a pointer for each row, which the tile may move on
//     sum(row, quad)
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <detail/integer_tile.hpp>
#include <kernels/integer_row.hpp>
#include <neon_integer_weights.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

template <int shift>
[[gnu::always_inline]] inline int32x4_t shifted_lanes(int32x4_t sum) noexcept {
  if constexpr (shift == 0) {
    return sum;
  } else {
    return vrshrq_n_s32(sum, shift);
  }
}

/// Adds inputs [k, end), whole steps of them with weights from `steps`, which may be w.
template <class Tile, class Weights, std::size_t Height>
[[gnu::always_inline]] inline void add_inputs(Tile& tile, const Weights& steps, const std::byte* w,
                                              const std::byte* (&x)[Height], std::size_t k, std::size_t end) noexcept {
  for (; end - k >= Tile::step; k += Tile::step) tile.template add<Tile::step>(steps, x, k);
  if constexpr (Tile::step > 16) {
    if (end - k >= 16) {
      tile.template add<16>(w, x, k);
      k += 16;
    }
  }
  if constexpr (Tile::step != 8) {
    if (k < end) tile.template add<8>(w, x, k);
  }
}

/// Where a tile finds the numbers of its rows.
template <class Tile, int Height>
[[gnu::always_inline]] inline void find_rows(const IntegerProduct& product, std::uint32_t first_row,
                                             const std::byte* (&x)[Height]) noexcept {
#pragma GCC unroll 16
  for (int r = 0; r < Height; ++r) {
    x[r] = Tile::from(product.row(first_row + static_cast<std::uint32_t>(r)) + row_numbers_at, product.first);
  }
}

/// The sums of some rows with some quads of the panel.
template <DataType weights, DataType rows, int Height, int Quads>
void sum_tile(const IntegerProduct& product, std::uint32_t first_row, int first_quad) noexcept {
  using Tile = IntegerTile<weights, rows, Height, Quads>;
  const std::byte* x[Height];
  find_rows<Tile>(product, first_row, x);
  const std::byte* const w = product.weights + first_quad * 16;
  int32x4_t total[Height][Quads];
  if constexpr (weights == DataType::int8) {
    Tile tile;
    add_inputs(tile, w, w, x, 0, product.inputs);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) total[r][q] = tile.sum(r, q);
    }
  } else {
#pragma GCC unroll 16
    for (auto& row : total) {
#pragma GCC unroll 16
      for (int32x4_t& quad : row) quad = vdupq_n_s32(0);
    }
    const std::int8_t* multipliers = product.multipliers + first_quad * quad_width;
    for (std::size_t k = 0; k < product.inputs; multipliers += panel_width) {
      const std::size_t left = product.inputs - k;
      const std::size_t end = k + (left < scale_group_size ? left : std::size_t{scale_group_size});
      Tile tile;
      add_inputs(tile, w, w, x, k, end);
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) {
        const int32x4_t factors = load_multipliers(multipliers + q * quad_width);
#pragma GCC unroll 16
        for (int r = 0; r < Height; ++r) {
          total[r][q] = vmlaq_s32(total[r][q], shifted_lanes<group_shift<weights, rows>>(tile.sum(r, q)), factors);
        }
      }
      k = end;
    }
  }
  std::int32_t* const sums = product.sums + first_row * panel_width + first_quad * quad_width;
#pragma GCC unroll 16
  for (int r = 0; r < Height; ++r) {
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) vst1q_s32(sums + r * static_cast<int>(panel_width) + q * quad_width, total[r][q]);
  }
}

/// Rows from `row` on, as tiles of so many, and what is left as lower ones.
template <DataType weights, DataType rows, int Height>
void sum_rows(const IntegerProduct& product, std::uint32_t row) noexcept {
  constexpr int quads = tile_quads<rows>(Height);
  for (; product.rows - row >= std::uint32_t{Height}; row += Height) {
#pragma GCC unroll 16
    for (int quad = 0; quad < panel_quads; quad += quads) sum_tile<weights, rows, Height, quads>(product, row, quad);
  }
  if constexpr (Height > 1) sum_rows<weights, rows, Height / 2>(product, row);
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  sum_rows<weights, rows, tile_height<rows>>(product, 0);
}

}  // namespace heed::detail
