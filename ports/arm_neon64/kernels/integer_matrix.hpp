// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs, in whole tiles of rows: sums become outputs where they are, in
// registers. Beside what integer_sums.hpp asks of a port's detail/integer_tile.hpp, that defines
//
//   query_tile_height           the rows of a tile of queries
//   stages_weights              whether weights that several tiles of rows take are made ready once, and then
//     stage_weights<Tile>(panel, inputs, to)   what the tile's add() takes in place of the panel, for whole steps
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <neon_lanes.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Not where the code is to be small: it takes as much again as the sums alone.
#ifdef __OPTIMIZE_SIZE__
inline constexpr bool multiplies_in_tiles = false;
#else
inline constexpr bool multiplies_in_tiles = true;
#endif

/// Rows that are taken at once, at most: those whose scales lie side by side.
inline constexpr std::uint32_t most_scaled_rows = 64;

/// Four outputs of each row of a tile, `row_bytes` apart: start + float(sum) * (scale * scale of the row), or without
/// `start`.
template <bool adds, class Tile, int height>
[[gnu::always_inline]] inline void store_outputs(const Tile& tile, int quad, const float* row_scales,
                                                 float32x4_t scales, float32x4_t start, float* y,
                                                 std::ptrdiff_t row_bytes) noexcept {
  float32x4_t of_rows[height / 4];
#pragma GCC unroll 4
  for (int r = 0; r < height; r += 4) of_rows[r / 4] = vld1q_f32(row_scales + r);
#pragma GCC unroll 16
  for (int r = 0; r < height; ++r) {
    const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(tile.sum(r, quad)), vmulq_n_f32(scales, of_rows[r / 4][r % 4]));
    const float32x4_t output = adds ? vaddq_f32(start, scaled) : scaled;
    asm volatile("st1 {%1.4s}, [%0], %2" : "+r"(y) : "w"(output), "r"(row_bytes) : "memory");
  }
}

/// The outputs of `count` columns, fewer than four, or of none.
template <int height>
[[gnu::noinline]] void copy_columns(const float* from, int count, float* y, std::ptrdiff_t y_row) noexcept {
  for (int r = 0; r < height; ++r, from += quad_width, y += y_row) {
    for (int i = 0; i < count; ++i) y[i] = from[i];
  }
}

/// Products of `rows` rows, whole tiles of them, whose scales are given, and the quads of a tile from output `first`
/// on. `steps` has weights, or they are taken from the panel.
template <class Tile, bool adds, int height, int quads, class Weights>
[[gnu::always_inline]] inline void multiply_quads(const MatrixProduct& product, std::uint32_t first,
                                                  const std::byte* panel, const Weights& steps, std::uint32_t rows,
                                                  const float* row_scales) noexcept {
  const std::size_t inputs = product.inputs;
  const std::size_t row_bytes = product.row_bytes;
  const std::ptrdiff_t y_row = product.y_row;
  const std::ptrdiff_t y_row_bytes = y_row * static_cast<std::ptrdiff_t>(sizeof(float));
  const auto columns = static_cast<int>(product.outputs - first);
  float32x4_t scales[quads];
  float32x4_t start[quads];
#pragma GCC unroll 2
  for (int q = 0; q < quads; ++q) {
    const std::uint32_t from = first + static_cast<std::uint32_t>(q) * quad_width;
    scales[q] = vld1q_f32(product.scales + from);
    start[q] = vdupq_n_f32(0.0F);
    if (adds && product.bias != nullptr) {
      start[q] = port::detail::load_first(product.bias + from, columns - q * quad_width);
    }
  }
  const std::byte* row = product.rows + row_numbers_at;
  float* y = product.y + first;
  for (; rows != 0; rows -= height) {
    const std::byte* x[height];
#pragma GCC unroll 16
    for (int r = 0; r < height; ++r, row += row_bytes) x[r] = Tile::from(row, 0);
    Tile tile;
    add_inputs(tile, steps, panel, x, 0, inputs);
#pragma GCC unroll 2
    for (int q = 0; q < quads; ++q) {
      const int left = columns - q * quad_width;
      const bool whole = left >= quad_width;
      float some[height * quad_width];
      store_outputs<adds, Tile, height>(tile, q, row_scales, scales[q], start[q], whole ? y + q * quad_width : some,
                                        whole ? y_row_bytes : std::ptrdiff_t{sizeof(float) * quad_width});
      if (!whole) copy_columns<height>(some, left, y + q * quad_width, y_row);
    }
    y += height * y_row;
    row_scales += height;
  }
}

/// Products of the first `count` rows, whole tiles of them. Where nothing is added, y is float(sum) * (scale * scale of
/// the row). Where weights are `staged`, they become what tiles take once for all rows.
template <DataType rows, int height, bool adds, bool staged>
[[gnu::noinline]] void multiply_tiles(const MatrixProduct& given, std::uint32_t count) noexcept {
  // In variables of its own: what is stored to y might be the product's.
  const MatrixProduct product = given;
  constexpr int quads = tile_quads<rows>(height);
  using Tile = IntegerTile<DataType::int8, rows, height, quads>;
  float row_scales[most_scaled_rows];
  for (std::uint32_t row = 0; row < count; ++row) {
    row_scales[row] = *reinterpret_cast<const float*>(product.rows + row * product.row_bytes);
  }
  for (std::uint32_t first = 0; first < product.outputs; first += quads * quad_width) {
    const std::byte* const panel = product.weights + std::size_t{first / panel_width * panel_width} * product.inputs +
                                   std::size_t{first % panel_width} * quad_width;
    if constexpr (staged) {
      std::byte weights[block_inputs * quad_width];
      multiply_quads<Tile, adds, height, quads>(product, first, panel,
                                                stage_weights<Tile>(panel, product.inputs, weights), count, row_scales);
    } else {
      multiply_quads<Tile, adds, height, quads>(product, first, panel, panel, count, row_scales);
    }
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken, from the first one on.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if constexpr (!multiplies_in_tiles) return 0;
  constexpr std::uint32_t height = tile_height<rows>;
  const std::uint32_t most = product.count < most_scaled_rows ? product.count : most_scaled_rows;
  const std::uint32_t count = most - most % height;
  if (count == 0) return 0;
  constexpr bool staged = stages_weights;
  if (count > height) {
    multiply_tiles<rows, tile_height<rows>, true, staged>(product, count);
  } else {
    multiply_tiles<rows, tile_height<rows>, true, false>(product, count);
  }
  return count;
}

}  // namespace heed::detail
