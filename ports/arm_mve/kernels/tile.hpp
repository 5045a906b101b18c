// SPDX-License-Identifier: MIT
//
// The product's tile: up to six rows by four columns where the rows of A lie side by side, otherwise three by eight. A
// row of B is loaded once a step; the factors of A come in pairs or more into core registers, which a multiply-add
// takes as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/multiply.hpp>
#include <kernels/steps.hpp>
#include <port.hpp>

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

/// Rows from `row` on, of a whole panel.
[[gnu::always_inline]] inline Tile tile_of(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  static constexpr float zeros[port::lanes] = {};
  constexpr std::ptrdiff_t bytes{sizeof(float)};
  const bool from_zero = product.start == nullptr;
  return {.a = product.a + row * product.a_row,
          .a_step = product.a_step * bytes,
          .b = product.b + panel * product.b_panel,
          .b_step = product.b_step * bytes,
          .start = from_zero ? zeros : product.start + row * product.start_row + panel * product.c_panel,
          .start_row = from_zero ? 0 : product.start_row * bytes,
          .c = product.c + row * product.c_row + panel * product.c_panel,
          .c_row = product.c_row * bytes,
          .maxima = product.column_maxima,
          .lane = 0,
          .a_row = product.a_row * bytes,
          .depth = product.depth};
}

/// Rows of A that lie side by side.
template <int Rows>
inline void lanes_tile(Tile& tile) noexcept {
  with_step(tile.b_step, [&]<int Step>() {
    for (; tile.lane < panel_bytes; tile.lane += 16) add_lanes<Rows, Step>(tile);
  });
}

/// Rows of A whose steps lie side by side, eight columns at a time.
template <int Rows>
inline void rows_tile(Tile& tile) noexcept {
  if (tile.b_step == panel_bytes) {
    for (; tile.lane < panel_bytes; tile.lane += 32) add_rows<Rows, panel_bytes>(tile);
  } else {
    for (; tile.lane < panel_bytes; tile.lane += 32) add_rows<Rows, 0>(tile);
  }
}

inline void next_rows(Tile& tile, std::ptrdiff_t rows) noexcept {
  constexpr std::ptrdiff_t bytes{sizeof(float)};
  tile.lane = 0;
  tile.a += rows * tile.a_row / bytes;
  tile.start += rows * tile.start_row / bytes;
  tile.c += rows * tile.c_row / bytes;
}

/// The first `count` of four columns of one row.
inline void partial_quad(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel, std::ptrdiff_t lane,
                         std::uint32_t count) noexcept {
  const mve_pred16_t there = vctp32q(count);
  const std::ptrdiff_t column = panel * product.c_panel + lane;
  const float* a = product.a + row * product.a_row;
  const float* b = product.b + panel * product.b_panel + lane;
  float32x4_t sum = vdupq_n_f32(0.0F);
  if (product.start != nullptr) sum = vldrwq_z_f32(product.start + row * product.start_row + column, there);
  for (std::uint32_t left = product.depth; left != 0; --left, a += product.a_step, b += product.b_step) {
    sum = vfmaq_n_f32(sum, vldrwq_z_f32(b, there), *a);
  }
  vstrwq_p_f32(product.c + row * product.c_row + column, sum, there);
}

inline void join_maxima(const float* sums, float* maxima) noexcept {
  for (int lane = 0; lane < port::lanes; lane += 4) {
    vst1q_f32(maxima + lane, vmaxnmq_f32(vld1q_f32(maxima + lane), vld1q_f32(sums + lane)));
  }
}

/// One row of A, any strides.
inline void row_tile(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel, int panels) noexcept {
  Tile tile = tile_of(product, row, panel);
  for (int p = 0; p < panels; ++p) {
    if (product.a_step == 1) {
      with_step(tile.b_step, [&]<int Step>() { add_row<Step>(tile); });
    } else {
      for (int lane = 0; lane < port::lanes; lane += 4) partial_quad(product, row, panel + p, lane, 4);
    }
    if (tile.maxima != nullptr) join_maxima(tile.c, tile.maxima);
    tile.b += product.b_panel;
    tile.c += product.c_panel;
    if (product.start != nullptr) tile.start += product.c_panel;
  }
}

/// Rows x sixteen sums of whole panels; several panels of a single row.
template <int Rows, int Panels>
inline void whole_tile(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  if constexpr (Rows > 1) {
    Tile tile = tile_of(product, row, panel);
    if (product.a_row == 1) return lanes_tile<Rows>(tile);
    if (product.a_step == 1) {
      // Two parts at most, of three or two rows.
      constexpr int upper = Rows > 3 ? (Rows + 1) / 2 : Rows;
      rows_tile<upper>(tile);
      if constexpr (upper < Rows) {
        next_rows(tile, upper);
        rows_tile<Rows - upper>(tile);
      }
      return;
    }
  }
  for (int r = 0; r < Rows; ++r) row_tile(product, row + r, panel, Panels);
}

/// With Partial, the (single) panel has only `lanes` columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  static_assert((Rows == 1 || Panels == 1) && !LongRows);
  if constexpr (!Partial) return whole_tile<Rows, Panels>(product, first_row, panel);
  for (int r = 0; r < Rows; ++r) {
    for (int lane = 0; lane < lanes; lane += 4) {
      const int left = lanes - lane;
      partial_quad(product, first_row + r, panel, lane, static_cast<std::uint32_t>(left < 4 ? left : 4));
    }
  }
}

}  // namespace heed::detail
