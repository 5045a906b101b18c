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

/// A matrix of int8, panel by panel.
struct BytePanels {
  /// Inputs of a word.
  static constexpr std::uint32_t word = 4;

  /// Sums [16] of a panel with the numbers of a row, of which the first `outputs` are wanted.
  [[gnu::always_inline]] static void sum(const std::byte* weights, const float* /*scales*/, const std::byte* numbers,
                                         std::uint32_t words, std::uint32_t outputs, std::int32_t* sums) noexcept {
    sums_of_outputs(weights, numbers, words, outputs, sums);
  }

  /// Bytes from a panel's weights to those of the next one, and floats from its scales.
  [[gnu::always_inline]] static std::size_t bytes(std::uint32_t inputs) noexcept {
    return std::size_t{inputs} * panel_width;
  }
  [[gnu::always_inline]] static std::size_t scales(std::uint32_t /*inputs*/) noexcept { return panel_width; }
};

/// The first row's products.
template <class Panels>
[[gnu::noinline]] void multiply_matrix_row(const MatrixProduct& product) noexcept {
  const RowOfSums row(*reinterpret_cast<const float*>(product.rows));
  const std::byte* const numbers = product.rows + row_numbers_at;
  const std::uint32_t words = product.inputs / Panels::word;
  const std::byte* weights = product.weights;
  const float* scales = product.scales;
  const float* bias = product.bias;
  float* y = product.y;
  std::int32_t sums[panel_width];
  for (std::uint32_t left = product.outputs;;) {
    Panels::sum(weights, scales, numbers, words, left < panel_width ? left : panel_width, sums);
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
    weights += Panels::bytes(product.inputs);
    scales += Panels::scales(product.inputs);
    y += panel_width;
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: several rows are taken at once elsewhere.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if (rows != DataType::int8 || product.count != 1) return 0;
  multiply_matrix_row<BytePanels>(product);
  return 1;
}

}  // namespace heed::detail
