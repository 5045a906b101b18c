// SPDX-License-Identifier: MIT
//
// Rows of bytes times a matrix of int8, three by three in code for speed, and row by row, whose scales are taken apart
// once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>
#include <single_operations.hpp>

#include "../detail/paired_sums.hpp"
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

/// A panel's outputs of one row from its sums, added to `zero` where there is no bias.
inline void add_panel(const MatrixProduct& product, std::uint32_t first, const std::int32_t* sums, const RowOfSums& row,
                      float zero, float* y) noexcept {
  const std::uint32_t left = product.outputs - first;
  const float* const scales = product.scales + first;
  const float* const bias = product.bias != nullptr ? product.bias + first : nullptr;
  if (left < panel_width) {
    add_last_sums(sums, scales, row, bias, left, y + first);
  } else if (bias != nullptr) {
    add_sums(sums, scales, row, bias, y + first);
  } else {
    scaled_outputs(sums, scales, row, zero, y + first);
  }
}

[[nodiscard]] inline const std::byte* numbers_of(const std::byte* row) noexcept {
  return row + row_numbers_at + sizeof(std::int32_t);
}

/// How many outputs of a row are whole panels without a bias, whose sums can take their places; in code for size none.
[[nodiscard]] inline std::uint32_t outputs_without_bias(const MatrixProduct& product) noexcept {
  if constexpr (port::takes_support) return 0;
  const std::uint32_t whole = product.outputs / panel_width * panel_width;
  if (product.bias == nullptr) return whole;
  std::uint32_t bits = 0;
  const float* bias = product.bias;
  for (const float* const end = bias + whole; bits == 0 && bias != end; bias += panel_width) {
#pragma GCC unroll 16
    for (std::uint32_t i = 0; i < panel_width; ++i) bits |= std::bit_cast<std::uint32_t>(bias[i]);
  }
  return bits == 0 ? whole : 0;
}

/// Rows of up to 176 inputs, few of which are great, in pairs; in code for size none.
[[gnu::noinline]] inline void multiply_matrix_row(const MatrixProduct& product, const std::byte* row,
                                                  float* y) noexcept {
  const RowOfSums scale(*reinterpret_cast<const float*>(row));
  const std::byte* const numbers = numbers_of(row);
  const std::byte* weights = product.weights;
  PairedRow<port::takes_support ? 8 : 176, port::takes_support ? 1 : 20> paired;
  const bool pairs = !port::takes_support && paired.prepare(numbers, product.inputs);
  const std::uint32_t in_place = outputs_without_bias(product);
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    std::int32_t panel_sums[panel_width];
    std::int32_t* const sums = first < in_place ? reinterpret_cast<Sum*>(y + first) : panel_sums;
    if (pairs) {
      paired.multiply(weights, sums);
    } else {
      sum_panel(weights, numbers, numbers + product.inputs * sizeof(std::int16_t), sums);
    }
    if (first >= in_place) add_panel(product, first, sums, scale, 0.0F, y);
    weights += std::size_t{product.inputs} * panel_width;
  }
  if (in_place != 0) scaled_outputs(reinterpret_cast<Sum*>(y), product.scales, scale, 0.0F, y, in_place);
}

[[gnu::noinline]] inline void multiply_three_rows(const MatrixProduct& product, const std::byte* row, float zero,
                                                  float* y) noexcept {
  const std::byte* weights = product.weights;
  PreparedRows rows;
  RowTriple triple;
  triple.numbers = numbers_of(row);
  triple.distance = product.row_bytes;
  triple.inputs = triple.prepared = product.inputs;
  triple.at_once = three_row_inputs;
  triple.rows = &rows;
  std::int32_t sums[3 * panel_width];
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    sum_three_rows(triple, weights, sums);
    const std::byte* from = row;
    float* to = y;
    for (const std::int32_t* part = sums; part != sums + 3 * panel_width; part += panel_width) {
      add_panel(product, first, part, RowOfSums(*reinterpret_cast<const float*>(from)), zero, to);
      from += product.row_bytes;
      to += product.y_row;
    }
    weights += std::size_t{product.inputs} * panel_width;
  }
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: all of int8.
template <DataType rows>
[[nodiscard]] std::uint32_t multiply_matrix(const MatrixProduct& product) noexcept {
  if constexpr (rows != DataType::int8) return 0;
  const std::byte* row = product.rows;
  float* y = product.y;
  std::uint32_t left = product.count;
  for (; !port::takes_support && left >= 3; left -= 3, row += 3 * product.row_bytes, y += 3 * product.y_row) {
    multiply_three_rows(product, row, 0.0F, y);
  }
  for (; left != 0; --left, row += product.row_bytes, y += product.y_row) multiply_matrix_row(product, row, y);
  return product.count;
}

}  // namespace heed_own_code
}  // namespace heed::detail
