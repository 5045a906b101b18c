// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs, which leave the registers that the sums are in. A decode waits
// for weights, and two streams of them come from memory faster than one: one row takes a panel of each half at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// A panel of a matrix, and where its outputs are.
struct MatrixPanel {
  const MatrixProduct& product;
  const std::byte* weights;
  const float* scales;
  const float* bias;         ///< [16], or null: nothing is added
  std::ptrdiff_t bias_step;  ///< floats from a panel to the next one: 16, or 0
  float* y;                  ///< of the first row
  std::ptrdiff_t y_row;

  void go_on(std::uint32_t panels, std::size_t panel_bytes) noexcept {
    weights += panels * panel_bytes;
    scales += std::size_t{panels} * panel_width;
    bias += panels * bias_step;
    y += std::size_t{panels} * panel_width;
  }
};

/// The same place, of which compilers may not compute what follows before: they would keep all of them.
template <class Number>
[[nodiscard, gnu::always_inline]] inline Number* known_here(Number* place) noexcept {
  asm volatile("" : "+r"(place));
  return place;
}

/// Panels that one row takes at a time, each from a share of the matrix: streams that the CPU sees by itself, and that
/// it reads less fast where it is asked for them ahead.
inline constexpr int panels_of_row = 2;

/// The outputs of some rows from `first` on and some panels, of which each is the number `apart` after the last one.
template <DataType rows, int Rows, int Panels = 1>
[[gnu::always_inline]] inline void multiply_rows(const MatrixPanel& panel, std::uint32_t first,
                                                 std::uint32_t apart = 1) noexcept {
  using Steps = IntegerSteps<DataType::int8, rows>;
  const std::size_t row_bytes = panel.product.row_bytes;
  const std::byte* const row = panel.product.rows + first * row_bytes;
  const std::size_t apart_bytes = std::size_t{panel.product.inputs} * panel_width * apart;
  const std::ptrdiff_t apart_lanes = std::ptrdiff_t{port::lanes} * apart;
  port::f32x16 scales[std::size_t{Panels}];
#pragma GCC unroll 4
  for (int p = 0; p < Panels; ++p) scales[p] = port::load(panel.scales + p * apart_lanes);
  RowPlaces<Rows> places(row + row_numbers_at, row_bytes);
  for (std::uint32_t k = 0; k < panel.product.inputs; k += block_inputs) {
    const std::uint32_t left = panel.product.inputs - k;
    DotTile<Steps, Rows, Panels> tile;
    add_block(panel.weights + std::size_t{k} * panel_width, apart_bytes, left < block_inputs ? left : block_inputs,
              places, tile);
    // In variables of its own: what is stored to y might be the panel's.
    const std::ptrdiff_t y_row = panel.y_row;
    const std::ptrdiff_t start_row = k != 0 ? y_row : 0;
    const std::ptrdiff_t start_panel = k != 0 ? apart_lanes : panel.bias_step * apart;
    float* y = known_here(panel.y + static_cast<std::ptrdiff_t>(first) * y_row);
    const float* start = k == 0 ? known_here(panel.bias) : y;
    const bool adds = k != 0 || start != nullptr;
    const std::byte* scaled_row = known_here(row);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const port::f32x16 row_scale = port::set(*reinterpret_cast<const float*>(scaled_row));
#pragma GCC unroll 4
      for (int p = 0; p < Panels; ++p) {
        const IntegerLanes sum = add(tile.total(r * Panels + p), broadcast(places.row(r)));
        const port::f32x16 output = port::mul(to_floats(sum), port::mul(scales[p], row_scale));
        port::store(y + p * apart_lanes, adds ? port::add(port::load(start + p * start_panel), output) : output);
      }
      if constexpr (Rows > 1) {
        y += y_row;
        start += start_row;
        scaled_row += row_bytes;
      }
    }
    places.go_on(row_group_bytes<Steps::bytes>);
  }
}

/// The rows from `row` on, `Rows` at a time, and then fewer; of sixteen rows, twelve would leave a short tile.
template <DataType rows, int Rows, int Panels>
void multiply_rows_from(const MatrixPanel& panel, std::uint32_t row) noexcept {
  constexpr std::uint32_t halved = Rows == 12 && Panels > 1 ? 16 : 0;
  for (std::uint32_t left = panel.product.count - row; left >= Rows && left != halved; left -= Rows, row += Rows) {
    multiply_rows<rows, Rows, Panels>(panel, row);
  }
  if constexpr (Rows > 1) {
    if (row < panel.product.count) multiply_rows_from<rows, fewer_rows<Rows>, Panels>(panel, row);
  }
}

/// All rows. Few of them begin with the tile that they fill.
template <DataType rows, int Rows, int Panels>
[[gnu::always_inline]] inline void multiply_all_rows(const MatrixPanel& panel) noexcept {
  if constexpr (Rows > 1) {
    if (panel.product.count < Rows) return multiply_all_rows<rows, fewer_rows<Rows>, Panels>(panel);
  }
  multiply_rows_from<rows, Rows, Panels>(panel, 0);
}

/// All panels of one row.
template <DataType rows>
[[gnu::always_inline]] inline void multiply_row(MatrixPanel panel, std::size_t panel_bytes) noexcept {
  const std::uint32_t panels = panel.product.outputs / panel_width;
  const std::uint32_t share = panels / panels_of_row;
  for (std::uint32_t left = share; left != 0; --left) {
    multiply_rows<rows, 1, panels_of_row>(panel, 0, share);
    panel.go_on(1, panel_bytes);
  }
  panel.go_on(share * (panels_of_row - 1), panel_bytes);
  static_assert(panels_of_row == 2, "one panel is left at most");
  if (panels % panels_of_row != 0) multiply_rows<rows, 1>(panel, 0);
}

/// All panels; `bias` is [16] for each of them if `bias_step` is 16, or for all if it is 0, or null.
template <DataType rows>
[[gnu::noinline]] void multiply_panels(const MatrixProduct& product, const float* bias,
                                       std::ptrdiff_t bias_step) noexcept {
  const std::size_t panel_bytes = std::size_t{product.inputs} * panel_width;
  MatrixPanel panel{product, product.weights, product.scales, bias, bias_step, product.y, product.y_row};
  if (product.count == 1) return multiply_row<rows>(panel, panel_bytes);
  std::uint32_t panels = 1;
  for (std::uint32_t left = product.outputs / panel_width; left != 0; left -= panels) {
    panels = 1;
    if (product.count == 2) {
      // Short panels of few rows take less time than a call.
      multiply_rows<rows, 2>(panel, 0);
    } else if (left < panels_of_rows) {
      multiply_all_rows<rows, rows_of_a_sum, 1>(panel);
    } else {
      multiply_all_rows<rows, rows_of_a_matrix, panels_of_rows>(panel);
      panels = panels_of_rows;
    }
    panel.go_on(panels, panel_bytes);
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = UINT32_MAX;

/// The last outputs of a matrix, fewer than sixteen: a panel of its own, some rows after the other.
template <DataType rows>
[[gnu::noinline]] void multiply_last_panel(const MatrixProduct& product) noexcept {
  const std::uint32_t whole = product.outputs / panel_width * panel_width;
  const auto count = static_cast<int>(product.outputs - whole);
  float bias[panel_width];
  float y[std::size_t{rows_of_a_sum} * panel_width];
  port::store(bias, product.bias != nullptr ? port::load_partial(product.bias + whole, count) : port::set(0.0F));
  MatrixProduct panel = product;
  panel.weights += std::size_t{product.inputs} * whole;
  panel.scales += whole;
  panel.outputs = panel_width;
  panel.y = y;
  panel.y_row = panel_width;
  float* to = product.y + whole;
  for (std::uint32_t left = product.count; left != 0; left -= panel.count) {
    panel.count = left < rows_of_a_sum ? left : rows_of_a_sum;
    multiply_panels<rows>(panel, bias, 0);
    for (std::uint32_t row = 0; row < panel.count; ++row, to += product.y_row) {
      port::store_partial(to, port::load(y + std::size_t{row} * panel_width), count);
    }
    panel.rows += panel.count * product.row_bytes;
  }
}

/// How many rows' products have been taken: all.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  static constexpr float no_bias[panel_width]{};
  const bool biased = product.bias != nullptr;
  multiply_panels<rows>(product, biased ? product.bias : no_bias, biased ? panel_width : 0);
  if (product.outputs % panel_width != 0) multiply_last_panel<rows>(product);
  return product.count;
}

}  // namespace heed::detail
