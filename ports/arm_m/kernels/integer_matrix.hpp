// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs, in code for speed: eight outputs of one row at a time, or two
// of two or three rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <port.hpp>

#include "../detail/integer_matrix_tiles.hpp"
#include "../detail/three_rows.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// One row; the last outputs, fewer than eight, by way of the stack, and no more than four by themselves.
[[gnu::noinline]] inline void multiply_matrix_row(const MatrixProduct& product, const std::byte* row,
                                                  float* y) noexcept {
  static constexpr float no_bias[8]{};
  const float row_scale = *reinterpret_cast<const float*>(row);
  const std::uint32_t eights = product.outputs / 8;
  OutputEights part{product.weights,
                    row + row_numbers_at,
                    product.scales,
                    product.bias != nullptr ? product.bias : no_bias,
                    y,
                    product.inputs,
                    eights,
                    product.bias != nullptr ? sizeof no_bias : 0};
  if (eights != 0) eights_of_raw_words(part, row_scale);
  const std::uint32_t rest = product.outputs % 8;
  if (rest == 0) return;
  const std::uint32_t done = eights * 8;
  part.weights += (std::size_t{eights / 2} * product.inputs * panel_width) + eights % 2 * 32;
  part.scales += done;
  y += done;
  if (rest <= 4) {
    std::int32_t sums[4];
    last_four_of_raw_words(part.weights, part.x, product.inputs / 8, sums);
    for (std::uint32_t i = 0; i < rest; ++i) {
      const float bias = product.bias != nullptr ? product.bias[done + i] : 0.0F;
      y[i] = bias + static_cast<float>(sums[i] >> 8) * (part.scales[i] * row_scale);
    }
    return;
  }
  float last[8];
  float bias[8]{};
  for (std::uint32_t i = 0; i < rest && product.bias != nullptr; ++i) bias[i] = product.bias[done + i];
  part.bias = bias;
  part.y = last;
  part.eights = 1;
  eights_of_raw_words(part, row_scale);
  for (std::uint32_t i = 0; i < rest; ++i) y[i] = last[i];
}

/// The outputs of `rows` rows, which multiply() takes two by two; the last of an odd number by way of the stack.
template <std::uint32_t rows, class Part, class Multiply>
[[gnu::always_inline]] inline void multiply_by_pairs(const MatrixProduct& product, Part& part, float* y,
                                                     const Multiply& multiply) noexcept {
  const std::uint32_t done = product.outputs / 2 * 2;
  if (done != 0) multiply();
  if (done == product.outputs) return;
  const float bias[2]{product.bias != nullptr ? product.bias[done] : 0.0F, 0.0F};
  float last[rows][2];
  part.weights += std::size_t{done / panel_width * panel_width} * product.inputs + std::size_t{done % panel_width} * 4;
  part.scales += done;
  part.bias = bias;
  part.y = last[0];
  part.y_row = sizeof last[0];
  part.pairs = 1;
  multiply();
  y += done;
  for (std::uint32_t r = 0; r < rows; ++r, y += product.y_row) *y = last[r][0];
}

/// Two rows; the last output of an odd number by way of the stack.
template <DataType type>
[[gnu::noinline]] void multiply_matrix_rows(const MatrixProduct& product, const std::byte* first, float* y) noexcept {
  static constexpr float no_bias[2]{};
  const auto scale = [&](std::uint32_t row) noexcept {
    return *reinterpret_cast<const float*>(first + row * product.row_bytes);
  };
  const std::uint32_t done = product.outputs / 2 * 2;
  const bool biased = product.bias != nullptr;
  OutputPairs part{product.weights,
                   first + row_numbers_at,
                   product.row_bytes,
                   product.scales,
                   biased ? product.bias : no_bias,
                   biased ? sizeof no_bias : 0,
                   y,
                   product.y_row * std::ptrdiff_t{sizeof(float)},
                   product.inputs,
                   done / 2};
  const auto multiply = [&part, &scale]() noexcept {
    if constexpr (type == DataType::int8) {
      pairs_of_two_rows(part, scale(0), scale(1));
    } else {
      pairs_of_two_long_rows(part, scale(0), scale(1));
    }
  };
  multiply_by_pairs<2>(product, part, y, multiply);
}

/// Three rows that are joined; the last output of an odd number by way of the stack.
template <DataType type>
[[gnu::noinline]] void multiply_joined_rows(const MatrixProduct& product, const std::byte* first, float* y) noexcept {
  static constexpr float no_bias[2]{};
  const auto* const scales = reinterpret_cast<const float*>(first);
  const std::uint32_t done = product.outputs / 2 * 2;
  const bool biased = product.bias != nullptr;
  OutputTriples part{product.weights,
                     first + 3 * sizeof(float),
                     product.scales,
                     biased ? product.bias : no_bias,
                     biased ? sizeof no_bias : 0,
                     y,
                     product.y_row * std::ptrdiff_t{sizeof(float)},
                     product.inputs,
                     done / 2};
  const auto multiply = [&part, scales]() noexcept {
    if constexpr (type == DataType::int8) {
      pairs_of_three_rows(part, scales[0], scales[1], scales[2]);
    } else {
      pairs_of_three_long_rows(part, scales[0], scales[1], scales[2]);
    }
  };
  multiply_by_pairs<3>(product, part, y, multiply);
}

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken: those of rows that are one run; of 16 bits in pairs alone.
template <DataType type>
[[nodiscard]] std::uint32_t multiply_matrix([[maybe_unused]] const MatrixProduct& product) noexcept {
  std::uint32_t done = 0;
  if constexpr (port::unrolled != 1) {
    if (product.inputs > run_inputs<DataType::int8, type>) return 0;
    const std::byte* row = product.rows;
    float* y = product.y;
    if (product.inputs <= joined_inputs) {
      for (; product.count - done >= 3; done += 3, row += 3 * product.row_bytes, y += 3 * product.y_row) {
        multiply_joined_rows<type>(product, row, y);
      }
    }
    for (; product.count - done >= 2; done += 2, row += 2 * product.row_bytes, y += 2 * product.y_row) {
      multiply_matrix_rows<type>(product, row, y);
    }
    if (type == DataType::int8 && done != product.count) {
      multiply_matrix_row(product, row, y);
      ++done;
    }
  }
  return done;
}

}  // namespace heed::detail
