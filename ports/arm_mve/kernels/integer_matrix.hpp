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
#include "../detail/four_rows.hpp"
#include "../detail/many_rows.hpp"
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

/// A call for every panel, as compilers keep little in registers beside the sums of some rows. Not of multiples of 64
/// inputs, which are taken by fours or one row after another.
[[gnu::noinline]] inline void multiply_panel(const MatrixProduct& product, const MatrixPanel& panel,
                                             float* y) noexcept {
  const std::size_t row_bytes = product.row_bytes;
  const std::byte* row = product.rows;
  std::int32_t sums[3 * panel_width];
  for (std::uint32_t left = product.count; left != 0;) {
    const std::uint32_t rows = rows_at_once(left, false);
    add_rows_of_bytes(rows, panel.weights, row + row_numbers_at, row_bytes, product.inputs, sums);
    left -= rows;
    for (std::uint32_t r = 0; r < rows; ++r, row += row_bytes, y += product.y_row) {
      panel.take(sums + r * panel_width, row, y);
    }
  }
}

/// Four rows from the first of `product` on, or the first `count`, the last of them several times.
[[gnu::noinline]] inline void multiply_fours(const MatrixProduct& product, const float* bias, std::uint32_t bias_step,
                                             std::uint32_t count) noexcept {
  FourRows rows;
  const std::byte* row = product.rows;
  float* y = product.y;
  for (std::uint32_t r = 0; r < 4; ++r) {
    rows.x[r] = row + row_numbers_at;
    rows.row_scale[r] = *reinterpret_cast<const float*>(row);
    rows.y[r] = y;
    if (r + 1 < count) {
      row += product.row_bytes;
      y += product.y_row;
    }
  }
  const std::uint32_t columns = product.outputs % panel_width;
  const std::uint32_t done = product.outputs - columns;
  rows.scales = product.scales;
  rows.bias = bias;
  rows.bias_step = bias_step / 4 * sizeof(float);
  rows.last = rows.x[0] + product.inputs - inputs_at_once;
  rows.end = product.scales + done;
  if (done != 0) multiply_four_rows(rows, product.weights);
  if (columns == 0) return;
  rows.scales = nullptr;
  multiply_four_rows(rows, product.weights + std::size_t{done} * product.inputs);
  for (std::uint32_t r = 0; r < 4; ++r) {
    add_some_sums(rows.sums + r * panel_width, product.scales + done, rows.row_scale[r],
                  bias + done / panel_width * bias_step, columns, rows.y[r]);
  }
}

/// The first row and all outputs, four at a time, and those of a panel that are less than that.
[[gnu::noinline]] inline void multiply_row(const MatrixProduct& product, const float* bias,
                                           std::uint32_t bias_step) noexcept {
  const std::uint32_t panels = product.outputs / panel_width;
  const std::uint32_t done = panels * panel_width;
  const std::uint32_t rest = product.outputs - done;
  PanelsOfRow of{.fours = panel_width / 4,
                 .panel_step = product.inputs * panel_width - 4 * panel_width,
                 .panels = panels,
                 .bias_step = bias_step / 4 * sizeof(float),
                 .scales = product.scales,
                 .bias = bias,
                 .row_scale = *reinterpret_cast<const float*>(product.rows)};
  const std::byte* const x = product.rows + row_numbers_at;
  if (panels != 0) multiply_row(of, product.weights, x, product.inputs, product.y);
  if (rest == 0) return;
  const std::byte* const weights = product.weights + std::size_t{done} * product.inputs;
  of.panels = 1;
  of.scales += done;
  of.bias += panels * bias_step;
  if (rest % 4 == 0) {
    of.fours = rest / 4;
    return multiply_row(of, weights, x, product.inputs, product.y + done);
  }
  std::int32_t sums[panel_width];
  add_bytes_of_row(weights, x, product.inputs, sums);
  add_some_sums(sums, of.scales, of.row_scale, of.bias, rest, product.y + done);
}

/// Rows of a multiple of 64 inputs, many at once where that pays, or else three or four; one or two that are left then,
/// one after the other.
[[gnu::noinline]] inline void multiply_by_tiles(MatrixProduct product, const float* bias,
                                                std::uint32_t bias_step) noexcept {
  while (product.count != 0) {
    std::uint32_t taken = many_rows_of(product);
    if (taken != 0) {
      if (taken <= tile_many_rows) {
        multiply_many_rows<tile_many_rows>(product, bias, bias_step, taken);
      } else {
        multiply_many_rows<most_many_rows>(product, bias, bias_step, taken);
      }
    } else if (product.count < 3) {
      taken = 1;
      multiply_row(product, bias, bias_step);
    } else {
      taken = product.count < 4 ? 3 : 4;
      multiply_fours(product, bias, bias_step, taken);
    }
    product.count -= taken;
    product.rows += taken * product.row_bytes;
    product.y += static_cast<std::ptrdiff_t>(taken) * product.y_row;
  }
}

inline void multiply_rows(const MatrixProduct& product, const float* bias, std::uint32_t bias_step) noexcept {
  if (product.count == 1) return multiply_row(product, bias, bias_step);
  if (product.inputs % inputs_at_once == 0) return multiply_by_tiles(product, bias, bias_step);
  MatrixPanel panel{product.weights, product.scales, bias, panel_width};
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    if (product.outputs - first < panel_width) panel.columns = product.outputs - first;
    multiply_panel(product, panel, product.y + first);
    panel.weights += product.inputs * panel_width;
    panel.scales += panel_width;
    panel.bias += bias_step;
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: all of those of 8 bits.
template <DataType rows>
[[nodiscard]] inline std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if constexpr (rows == DataType::int8) {
    static constexpr float no_bias[panel_width]{};
    const bool has_bias = product.bias != nullptr;
    multiply_rows(product, has_bias ? product.bias : no_bias, has_bias ? panel_width : 0);
    return product.count;
  }
  return 0;
}

}  // namespace heed::detail
