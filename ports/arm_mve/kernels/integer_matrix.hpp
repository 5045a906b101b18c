// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs: short products would cost more to begin than to add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>
#include <kernels/integer_sums.hpp>
#include <port.hpp>

#include "../detail/byte_tiles.hpp"
#include "../detail/one_row.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The first `columns` outputs of a row and a panel.
[[gnu::noinline]] inline void add_some_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* bias, std::uint32_t columns, float* y) noexcept {
  float lanes[panel_width];
  port::store(lanes, port::load_partial(bias, static_cast<int>(columns)));
  add_sums(sums, scales, row_scale, lanes, lanes);
  port::store_partial(y, port::load(lanes), static_cast<int>(columns));
}

/// A panel of a matrix.
struct MatrixPanel {
  const std::byte* weights;
  const float* scales;
  const float* bias;
  std::uint32_t columns;

  [[gnu::always_inline]] void take(const std::int32_t* sums, const std::byte* row, float* y) const noexcept {
    const float scale = *reinterpret_cast<const float*>(row);
    if (columns == panel_width) {
      add_sums(sums, scales, scale, bias, y);
    } else {
      add_some_sums(sums, scales, scale, bias, columns, y);
    }
  }
};

/// A call for every panel, as compilers keep little in registers beside the sums of some rows.
[[gnu::noinline]] inline void multiply_panel(const MatrixProduct& product, const MatrixPanel& panel,
                                             float* y) noexcept {
  const std::size_t row_bytes = product.row_bytes;
  const bool fours = product.inputs % inputs_at_once == 0;
  const std::byte* row = product.rows;
  std::int32_t sums[4 * panel_width];
  for (std::uint32_t left = product.count; left != 0;) {
    const std::uint32_t rows = rows_at_once(left, fours);
    add_rows_of_bytes(rows, panel.weights, row + row_numbers_at, row_bytes, product.inputs, sums);
    left -= rows;
    if (rows == 4 && panel.columns == panel_width) {
      add_sums_of_four(sums, panel.scales, row, row_bytes, panel.bias, y, product.y_row);
      row += 4 * row_bytes;
      y += 4 * product.y_row;
      continue;
    }
    for (std::uint32_t r = 0; r < rows; ++r, row += row_bytes, y += product.y_row) {
      panel.take(sums + r * panel_width, row, y);
    }
  }
}

/// One row and all outputs in panels of whole fours; returns how many.
[[gnu::noinline]] inline std::uint32_t multiply_row(const MatrixProduct& product, const float* bias,
                                                    std::uint32_t bias_step) noexcept {
  const std::uint32_t panels = product.outputs / panel_width;
  const std::uint32_t rest = product.outputs % panel_width;
  PanelsOfRow of{.fours = panel_width / 4,
                 .panel_step = product.inputs * panel_width - 4 * panel_width,
                 .panels = panels,
                 .bias_step = bias_step / 4 * sizeof(float),
                 .scales = product.scales,
                 .bias = bias,
                 .row_scale = *reinterpret_cast<const float*>(product.rows)};
  const std::byte* const x = product.rows + row_numbers_at;
  if (panels != 0) multiply_row(of, product.weights, x, product.inputs, product.y);
  const std::uint32_t done = panels * panel_width;
  if (rest == 0 || rest % 4 != 0) return done;
  of.fours = rest / 4;
  of.panels = 1;
  of.scales += done;
  of.bias += panels * bias_step;
  multiply_row(of, product.weights + std::size_t{done} * product.inputs, x, product.inputs, product.y + done);
  return done + rest;
}

[[gnu::noinline]] inline void multiply_whole_matrix(const MatrixProduct& product) noexcept {
  static constexpr float no_bias[panel_width]{};
  const std::uint32_t bias_step = product.bias != nullptr ? panel_width : 0;
  MatrixPanel panel{product.weights, product.scales, product.bias != nullptr ? product.bias : no_bias, panel_width};
  std::uint32_t done = 0;
  if (product.count == 1) done = multiply_row(product, panel.bias, bias_step);
  if (done == product.outputs) return;
  panel.weights += std::size_t{done} * product.inputs;
  panel.scales += done;
  panel.bias += done / panel_width * bias_step;
  for (std::uint32_t first = done; first < product.outputs; first += panel_width) {
    if (product.outputs - first < panel_width) panel.columns = product.outputs - first;
    multiply_panel(product, panel, product.y + first);
    panel.weights += product.inputs * panel_width;
    panel.scales += panel_width;
    panel.bias += bias_step;
  }
}

/// How many rows' products have been taken: all of those of 8 bits.
template <DataType rows>
[[nodiscard]] inline std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if constexpr (rows == DataType::int8) {
    multiply_whole_matrix(product);
    return product.count;
  }
  return 0;
}

}  // namespace heed::detail
