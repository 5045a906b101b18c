// SPDX-License-Identifier: MIT
//
// One row of bytes times a matrix of int8, panel by panel, with a row's scale taken apart once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/sums_of_outputs.hpp>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// y = sums times scales, and a bias where there is one, of the last `count` outputs.
[[gnu::noinline]] inline void add_last_sums(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                            const float* bias, std::uint32_t count, float* y) noexcept {
  float lanes[panel_width]{};
  for (std::uint32_t i = 0; bias != nullptr && i < count; ++i) lanes[i] = bias[i];
  add_sums(sums, scales, row, lanes, lanes);
  for (std::uint32_t i = 0; i < count; ++i) y[i] = lanes[i];
}

[[gnu::noinline]] inline void multiply_matrix_row(const MatrixProduct& product) noexcept {
  const RowOfSums row(*reinterpret_cast<const float*>(product.rows));
  const std::byte* const numbers = product.rows + row_numbers_at;
  const std::uint32_t words = product.inputs / 4;
  const std::byte* weights = product.weights;
  const float* scales = product.scales;
  const float* bias = product.bias;
  float* y = product.y;
  std::int32_t sums[panel_width];
  for (std::uint32_t left = product.outputs;;) {
    sums_of_outputs(weights, numbers, words, left < panel_width ? left : panel_width, sums);
    if (left < panel_width) {
      add_last_sums(sums, scales, row, bias, left, y);
      return;
    }
    if (bias == nullptr) {
      scaled_outputs(sums, scales, row, 0.0F, y);
    } else {
      add_sums(sums, scales, row, bias, y);
      bias += panel_width;
    }
    left -= panel_width;
    if (left == 0) return;
    weights += std::size_t{product.inputs} * panel_width;
    scales += panel_width;
    y += panel_width;
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
