// SPDX-License-Identifier: MIT
//
// One row of bytes times a matrix of int8, panel by panel, with a row's scale taken apart once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/sums_of_bytes.hpp>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>
#include <riscv_f/detail/integer_run.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

[[gnu::noinline]] inline void multiply_matrix_row(const MatrixProduct& product) noexcept {
  static constexpr float no_bias[panel_width]{};
  const RowOfSums row(*reinterpret_cast<const float*>(product.rows));
  const std::byte* const numbers = product.rows + row_numbers_at;
  const std::uint32_t words = product.inputs / 4;
  const std::byte* weights = product.weights;
  const float* scales = product.scales;
  const float* bias = product.bias != nullptr ? product.bias : no_bias;
  float* y = product.y;
  std::int32_t sums[panel_width];
  for (std::uint32_t left = product.outputs; left != 0;) {
    const std::uint32_t count = left < panel_width ? left : panel_width;
    sums_of_bytes(weights, numbers, words, sums);
    if (count > integer_outputs) {
      sums_of_bytes(weights + integer_outputs * 4, numbers, words, sums + integer_outputs);
    }
    if (count == panel_width) {
      add_sums(sums, scales, row, bias, y);
    } else {
      float lanes[panel_width]{};
      for (std::uint32_t i = 0; i < count; ++i) lanes[i] = bias[i];
      add_sums(sums, scales, row, lanes, lanes);
      for (std::uint32_t i = 0; i < count; ++i) y[i] = lanes[i];
    }
    weights += std::size_t{product.inputs} * panel_width;
    scales += panel_width;
    if (product.bias != nullptr) bias += panel_width;
    y += panel_width;
    left -= count;
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: several rows are taken at once elsewhere.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if (rows != DataType::int8 || product.count != 1) return 0;
  multiply_matrix_row(product);
  return 1;
}

}  // namespace heed::detail
