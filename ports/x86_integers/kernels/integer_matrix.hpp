// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs, which leave the registers that the sums are in. A decode waits
// for weights: of one row all panels are in one loop, so that those of the next one are asked for while the sums of
// this one become outputs.
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
  const float* bias;  ///< [16], or null: nothing is added
  float* y;           ///< of the first row
  std::ptrdiff_t y_row;
};

/// The outputs of some rows from `first` on, and of a panel.
template <DataType rows, int Rows>
[[gnu::always_inline]] inline void multiply_rows(const MatrixPanel& panel, std::uint32_t first) noexcept {
  using Steps = IntegerSteps<DataType::int8, rows>;
  const std::size_t row_bytes = panel.product.row_bytes;
  const std::byte* const row = panel.product.rows + first * row_bytes;
  const port::f32x16 scales = port::load(panel.scales);
  RowPlaces<Rows> places(row + row_numbers_at, row_bytes);
  for (std::uint32_t k = 0; k < panel.product.inputs; k += block_inputs) {
    const std::uint32_t left = panel.product.inputs - k;
    DotTile<Steps, Rows> tile;
    add_block(panel.weights + std::size_t{k} * panel_width, left < block_inputs ? left : block_inputs, places, tile);
    float* y = panel.y + static_cast<std::ptrdiff_t>(first) * panel.y_row;
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r, y += panel.y_row) {
      const IntegerLanes sum = add(tile.total(r), broadcast(places.row(r)));
      const float row_scale = *reinterpret_cast<const float*>(row + static_cast<std::size_t>(r) * row_bytes);
      const port::f32x16 output = port::mul(to_floats(sum), port::mul(scales, port::set(row_scale)));
      const float* const start = k == 0 ? panel.bias : y;
      port::store(y, start != nullptr ? port::add(port::load(start), output) : output);
    }
    places.go_on(row_group_bytes<Steps::bytes>);
  }
}

/// The rows from `row` on, `Rows` at a time, and then fewer.
template <DataType rows, int Rows>
void multiply_rows_from(const MatrixPanel& panel, std::uint32_t row) noexcept {
  for (; panel.product.count - row >= Rows; row += Rows) multiply_rows<rows, Rows>(panel, row);
  if constexpr (Rows > 1) {
    if (row < panel.product.count) multiply_rows_from<rows, fewer_rows<Rows>>(panel, row);
  }
}

/// All panels; `bias` is [16] for each of them if `bias_step` is 16, or for all if it is 0, or null.
template <DataType rows>
[[gnu::noinline]] void multiply_panels(const MatrixProduct& product, const float* bias,
                                       std::size_t bias_step) noexcept {
  const std::size_t panel_bytes = std::size_t{product.inputs} * panel_width;
  MatrixPanel panel{product, product.weights, product.scales, bias, product.y, product.y_row};
  for (std::uint32_t left = product.outputs; left != 0; left -= panel_width) {
    if (product.count == 1) {
      multiply_rows<rows, 1>(panel, 0);
    } else {
      multiply_rows_from<rows, rows_of_a_sum>(panel, 0);
    }
    panel.weights += panel_bytes;
    panel.scales += panel_width;
    panel.bias += bias_step;
    panel.y += panel_width;
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = UINT32_MAX;

/// How many rows' products have been taken: all, of whole panels.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  static constexpr float no_bias[panel_width]{};
  if (product.outputs % panel_width != 0) return 0;
  const bool biased = product.bias != nullptr;
  multiply_panels<rows>(product, biased ? product.bias : no_bias, biased ? panel_width : 0);
  return product.count;
}

}  // namespace heed::detail
