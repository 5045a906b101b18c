// SPDX-License-Identifier: MIT
//
// The product's tile: up to six rows by four columns where the rows of A lie side by side, otherwise three by eight. A
// row of B is loaded once a step; the factors of A come in pairs or more into core registers, which a multiply-add
// takes as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/steps.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Rows from `row` on, of a whole panel.
[[gnu::always_inline]] inline Tile tile_of(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
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
          .a_row = product.a_row * bytes,
          .fours = product.depth / 4,
          .left = product.depth % 4};
}

template <class Float>
[[gnu::always_inline]] inline Float* moved(Float* from, std::ptrdiff_t bytes) noexcept {
  return reinterpret_cast<Float*>(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(bytes));
}

[[gnu::always_inline]] inline void next_rows(Tile& tile, int rows) noexcept {
  tile.a = moved(tile.a, rows * tile.a_row);
  tile.start = moved(tile.start, rows * tile.start_row);
  tile.c = moved(tile.c, rows * tile.c_row);
}

template <int Rows, int Step>
[[gnu::always_inline]] inline void lanes_tile(Tile& tile, int parts) noexcept {
  for (; parts > 0; --parts) {
    for (std::ptrdiff_t lane = 0; lane < panel_row_bytes; lane += 16) add_lanes<Rows, Step>(tile, lane);
    next_rows(tile, Rows);
  }
}

/// `parts` times Rows rows of A that lie side by side, four columns at a time. Few rows are rare.
template <int Rows>
[[gnu::always_inline]] inline void lanes_tile(Tile& tile, int parts) noexcept {
  if constexpr (Rows < 4) {
    lanes_tile<Rows, 0>(tile, parts);
  } else {
    with_step(
        tile.b_step, [&]<int Step>() __attribute__((always_inline)) { lanes_tile<Rows, Step>(tile, parts); });
  }
}

/// Threes of rows and then twos, eight columns of them all.
template <int Step>
[[gnu::always_inline]] inline void add_all_rows(Tile& tile, int threes, int twos) noexcept {
  for (; threes > 0; --threes) add_rows<3, Step>(tile);
  for (; twos > 0; --twos) add_rows<2, Step>(tile);
}

/// Two rows of A or more whose steps lie side by side, eight columns at a time.
[[gnu::always_inline]] inline void rows_tile(const Gemm& product, std::ptrdiff_t row, int rows,
                                             std::ptrdiff_t panel) noexcept {
  // Threes, and one or two twos where one would be left over.
  const int twos = rows % 3 == 0 ? 0 : 3 - rows % 3;
  const int threes = (rows - 2 * twos) / 3;
  Tile tile = tile_of(product, row, panel);
  const float* const a = tile.a;
  const float* const start = tile.start;
  float* const c = tile.c;
  for (std::ptrdiff_t lane = 0; lane < port::lanes; lane += 8) {
    tile.a = a;
    tile.start = start + lane;
    tile.c = c + lane;
    if (tile.b_step == panel_row_bytes) {
      add_all_rows<panel_row_bytes>(tile, threes, twos);
    } else {
      add_all_rows<0>(tile, threes, twos);
    }
    tile.b += 8;
    if (tile.maxima != nullptr) tile.maxima += 8;
  }
}

/// Quads times four columns of one row from `lane` on, any strides. With Partial, of the last four only `count`.
template <int Quads, bool Partial>
inline void some_columns(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel, std::ptrdiff_t lane,
                         std::uint32_t count) noexcept {
  static_assert(!Partial || Quads == 1);
  const mve_pred16_t there = vctp32q(count);
  const std::ptrdiff_t column = panel * product.c_panel + lane;
  const float* a = product.a + row * product.a_row;
  const float* b = product.b + panel * product.b_panel + lane;
  const std::ptrdiff_t start = row * product.start_row + column;
  const std::ptrdiff_t a_step = product.a_step;
  const std::ptrdiff_t b_step = product.b_step;
  float32x4_t sums[std::size_t{Quads}];
#pragma GCC unroll 4
  for (int q = 0; q < Quads; ++q) {
    sums[q] = vdupq_n_f32(0.0F);
    if (product.start == nullptr) continue;
    const float* from = product.start + start + 4 * q;
    sums[q] = Partial ? port::load_quad(from, there) : port::load_quad(from);
  }
  for (std::uint32_t left = product.depth; left != 0; --left, a += a_step, b += b_step) {
    const float factor = *a;
#pragma GCC unroll 4
    for (int q = 0; q < Quads; ++q) {
      sums[q] = vfmaq_n_f32(sums[q], Partial ? port::load_quad(b, there) : port::load_quad(b + 4 * q), factor);
    }
  }
  float* c = product.c + row * product.c_row + column;
#pragma GCC unroll 4
  for (int q = 0; q < Quads; ++q) {
    if constexpr (Partial) {
      port::store_quad(c, sums[q], there);
    } else {
      port::store_quad(c + 4 * q, sums[q]);
    }
  }
}

inline void join_maxima(const float* sums, float* maxima) noexcept {
  for (int lane = 0; lane < port::lanes; lane += 4) {
    port::store_quad(maxima + lane, vmaxnmq_f32(port::load_quad(maxima + lane), port::load_quad(sums + lane)));
  }
}

/// One row of A, any strides.
[[gnu::noinline]] inline void row_tile(const Gemm& product, std::ptrdiff_t row, std::ptrdiff_t panel,
                                       std::ptrdiff_t panels) noexcept {
  if (product.a_step != 1) {
    for (std::ptrdiff_t p = 0; p < panels; ++p) some_columns<4, false>(product, row, panel + p, 0, 0);
    if (product.column_maxima != nullptr) {
      join_maxima(product.c + row * product.c_row + panel * product.c_panel, product.column_maxima);
    }
    return;
  }
  if (panels <= 0) return;
  constexpr std::ptrdiff_t bytes{sizeof(float)};
  Tile tile = tile_of(product, row, panel);
  tile.a_step = product.b_panel * bytes;
  tile.start_row = product.start == nullptr ? 0 : product.c_panel * bytes;
  tile.c_row = product.c_panel * bytes;
  const float* const sums = tile.c;
  with_step(tile.b_step, [&]<int Step>() { add_row<Step>(tile, panels); });
  if (tile.maxima != nullptr) join_maxima(sums, tile.maxima);
}

/// Rows [row, row + rows) of a panel that has only `lanes` columns.
inline void multiply_partial_panel(const Gemm& product, std::ptrdiff_t row, int rows, std::ptrdiff_t panel,
                                   int lanes) noexcept {
  for (const std::ptrdiff_t end = row + rows; row < end; ++row) {
    int lane = 0;
    for (; lane + 8 <= lanes; lane += 8) some_columns<2, false>(product, row, panel, lane, 0);
    for (; lane + 4 <= lanes; lane += 4) some_columns<1, false>(product, row, panel, lane, 0);
    if (lane < lanes) some_columns<1, true>(product, row, panel, lane, static_cast<std::uint32_t>(lanes - lane));
  }
}

[[gnu::always_inline]] inline void lanes_tile_of(Tile& tile, int rows, int parts) noexcept {
  switch (rows) {
    case 2: return lanes_tile<2>(tile, parts);
    case 3: return lanes_tile<3>(tile, parts);
    case 4: return lanes_tile<4>(tile, parts);
    case 5: return lanes_tile<5>(tile, parts);
    default: return lanes_tile<6>(tile, parts);
  }
}

/// Several rows of one whole panel: one function, with one frame.
[[gnu::noinline]] inline void whole_tile(const Gemm& product, std::ptrdiff_t row, int rows,
                                         std::ptrdiff_t panel) noexcept {
  if (product.a_row != 1) {
    rows_tile(product, row, rows, panel);
    return;
  }
  Tile tile = tile_of(product, row, panel);
  // Parts of at most six, as equal as can be.
  const int parts = (rows + 5) / 6;
  const int least = rows / parts;
  const int greater = rows % parts;
  for (int size = greater != 0 ? least + 1 : least; size >= least; --size) {
    lanes_tile_of(tile, size, size > least ? greater : parts - greater);
  }
}

/// Rows [first_row, first_row + rows) of whole panels [panel, end).
inline void multiply_whole_panels(const Gemm& product, std::ptrdiff_t first_row, int rows, std::ptrdiff_t panel,
                                  std::ptrdiff_t end, bool /*long_rows*/) noexcept {
  if (rows == 1 || (product.a_row != 1 && product.a_step != 1)) {
    for (const std::ptrdiff_t behind = first_row + rows; first_row < behind; ++first_row) {
      row_tile(product, first_row, panel, end - panel);
    }
    return;
  }
  for (; panel < end; ++panel) whole_tile(product, first_row, rows, panel);
}

}  // namespace heed::detail
