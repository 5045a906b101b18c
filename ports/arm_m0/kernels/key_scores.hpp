// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and all keys of a block, three by three and query by query, whose scales are taken apart
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_matrix.hpp>
#include <single_operations.hpp>

#include "../detail/paired_sums.hpp"
#include "../detail/two_paired_words.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Scores of at least one panel: their sums take the scores' places at first.
inline void score_two_words(const MatrixProduct& product, const PairedProduct& row, const RowOfSums& scale,
                            float* scores) noexcept {
  using Sum [[gnu::may_alias]] = std::int32_t;
  Sum* const sums = reinterpret_cast<Sum*>(scores);
  const std::uint32_t outputs = (product.outputs + panel_width - 1) / panel_width * panel_width;
  const TwoPairedWords words{&row.words->word, row.start, sums, sums + outputs};
  sum_two_words(&words, product.weights);
  for (std::uint32_t first = 0; first < outputs; first += panel_width) {
    scaled_outputs(sums + first, product.scales + first, scale, -0.0F, scores + first);
  }
}

[[gnu::noinline]] inline void score_row(const MatrixProduct& product, const std::byte* row, float* scores) noexcept {
  const RowOfSums scale(*reinterpret_cast<const float*>(row));
  const std::byte* const numbers = numbers_of(row);
  const std::byte* keys = product.weights;
  PairedRow<16, 8> paired;
  std::int32_t sums[panel_width];
  const bool pairs = paired.prepare(numbers, product.inputs, sums);
  const PairedProduct* const words = pairs && product.outputs != 0 ? paired.two_words() : nullptr;
  if (words != nullptr) {
    score_two_words(product, *words, scale, scores);
    return;
  }
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    if (pairs) {
      paired.multiply(keys);
    } else {
      sum_panel(keys, numbers, numbers + product.inputs * sizeof(std::int16_t), sums);
    }
    scaled_outputs(sums, product.scales + first, scale, -0.0F, scores + first);
    keys += std::size_t{product.inputs} * panel_width;
  }
}

/// Scores of whole panels of keys, as score_panel() has them, in code for speed.
[[nodiscard]] inline bool score_keys(const MatrixProduct& product) noexcept {
  if (port::takes_support || product.inputs > block_inputs) return false;
  const std::byte* row = product.rows;
  float* scores = product.y;
  std::uint32_t left = product.count;
  for (; left >= 3; left -= 3, row += 3 * product.row_bytes, scores += 3 * product.y_row) {
    multiply_three_rows(product, row, -0.0F, scores);
  }
  for (; left != 0; --left, row += product.row_bytes, scores += product.y_row) score_row(product, row, scores);
  return true;
}

}  // namespace heed_own_code
}  // namespace heed::detail
