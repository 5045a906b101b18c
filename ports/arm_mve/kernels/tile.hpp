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
template <int Rows, bool Panel>
inline void lanes_tile(Tile tile) noexcept {
  for (; tile.lane < panel_step; tile.lane += 16) add_lanes<Rows, Panel>(tile);
}

/// Rows of A whose steps lie side by side: two parts at most, of three or two rows.
template <int Rows, bool Panel>
inline void rows_tile(Tile tile) noexcept {
  constexpr int upper = Rows > 3 ? (Rows + 1) / 2 : Rows;
  for (; tile.lane < panel_step; tile.lane += 32) add_rows<upper, Panel>(tile);
  if constexpr (upper < Rows) {
    tile.lane = 0;
    constexpr int bytes{sizeof(float)};
    tile.a += upper * tile.a_row / bytes;
    tile.start += upper * tile.start_row / bytes;
    tile.c += upper * tile.c_row / bytes;
    for (; tile.lane < panel_step; tile.lane += 32) add_rows<Rows - upper, Panel>(tile);
  }
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

/// One row of A, any strides.
inline void row_tile(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  const Tile tile = tile_of(product, row, panel);
  if (product.a_step != 1) {
    for (int lane = 0; lane < port::lanes; lane += 4) partial_quad(product, row, panel, lane, 4);
  } else if (tile.b_step == panel_step) {
    add_row<true>(tile);
  } else {
    add_row<false>(tile);
  }
  if (tile.maxima == nullptr) return;
  for (int lane = 0; lane < port::lanes; lane += 4) {
    vst1q_f32(tile.maxima + lane, vmaxnmq_f32(vld1q_f32(tile.maxima + lane), vld1q_f32(tile.c + lane)));
  }
}

/// Rows x sixteen sums. With Partial, the panel has only `lanes` columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  static_assert(Panels == 1 && !LongRows);
  if constexpr (Partial) {
    for (int r = 0; r < Rows; ++r) {
      for (int lane = 0; lane < lanes; lane += 4) {
        const int left = lanes - lane;
        partial_quad(product, first_row + r, panel, lane, static_cast<std::uint32_t>(left < 4 ? left : 4));
      }
    }
  } else {
    if constexpr (Rows > 1) {
      const Tile tile = tile_of(product, first_row, panel);
      const bool panels = tile.b_step == panel_step;
      if (product.a_row == 1) return panels ? lanes_tile<Rows, true>(tile) : lanes_tile<Rows, false>(tile);
      if (product.a_step == 1) return panels ? rows_tile<Rows, true>(tile) : rows_tile<Rows, false>(tile);
    }
    for (int r = 0; r < Rows; ++r) row_tile(product, first_row + r, panel);
  }
}

}  // namespace heed::detail
