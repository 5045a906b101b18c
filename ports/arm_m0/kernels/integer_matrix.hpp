// SPDX-License-Identifier: MIT
//
// Rows of bytes times a matrix of int8, row by row, whose scales are taken apart once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>

#include "../detail/rows_at_once.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The last outputs of a row, fewer than sixteen.
[[gnu::noinline]] inline void add_last_sums(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                            const float* bias, std::uint32_t count, float* y) noexcept {
  float lanes[panel_width]{};
  if (bias != nullptr) {
    for (std::uint32_t i = 0; i < count; ++i) lanes[i] = bias[i];
  }
  add_sums(sums, scales, row, lanes, lanes);
  for (std::uint32_t i = 0; i < count; ++i) y[i] = lanes[i];
}

[[gnu::noinline]] inline void multiply_matrix_row(const MatrixProduct& product, const std::byte* row,
                                                  float* y) noexcept {
  const RowOfSums scale(*reinterpret_cast<const float*>(row));
  const std::byte* const numbers = row + row_numbers_at + sizeof(std::int32_t);
  const std::byte* const end = numbers + product.inputs * sizeof(std::int16_t);
  const std::byte* weights = product.weights;
  const float* scales = product.scales;
  const float* bias = product.bias;
  std::uint32_t left = product.outputs;
  std::int32_t sums[panel_width];
  for (;;) {
    sum_panel(weights, numbers, end, sums);
    if (left < panel_width) break;
    if (bias != nullptr) {
      add_sums(sums, scales, scale, bias, y);
      bias += panel_width;
    } else {
      scaled_outputs(sums, scales, scale, 0.0F, y);
    }
    left -= panel_width;
    if (left == 0) return;
    weights += std::size_t{product.inputs} * panel_width;
    scales += panel_width;
    y += panel_width;
  }
  add_last_sums(sums, scales, scale, bias, left, y);
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: all of int8.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if constexpr (rows != DataType::int8) return 0;
  const std::byte* row = product.rows;
  float* y = product.y;
  for (std::uint32_t left = product.count; left != 0; --left, row += product.row_bytes, y += product.y_row) {
    multiply_matrix_row(product, row, y);
  }
  return product.count;
}

}  // namespace heed_own_code
}  // namespace heed::detail
