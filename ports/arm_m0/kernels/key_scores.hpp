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

/// Scores of one query, whose sums take their places at first.
[[gnu::noinline]] inline void score_row(const MatrixProduct& product, const std::byte* row, float* scores) noexcept {
  const RowOfSums scale(*reinterpret_cast<const float*>(row));
  const std::byte* const numbers = numbers_of(row);
  const std::byte* keys = product.weights;
  Sum* const sums = reinterpret_cast<Sum*>(scores);
  PairedRow<16, 8> paired;
  const bool pairs = paired.prepare(numbers, product.inputs);
  const PairedProduct* const two_words =
      pairs && product.inputs == 8 && product.outputs != 0 ? paired.two_words() : nullptr;
  if (two_words != nullptr) {
    const TwoPairedWords words{&two_words->words->word, two_words->start, sums, sums + product.outputs,
                               two_words->singles};
    sum_two_words(&words, keys);
  } else {
    for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
      if (pairs) {
        paired.multiply(keys, sums + first);
      } else {
        sum_panel(keys, numbers, numbers + product.inputs * sizeof(std::int16_t), sums + first);
      }
      keys += std::size_t{product.inputs} * panel_width;
    }
  }
  scaled_outputs(sums, product.scales, scale, -0.0F, scores, product.outputs);
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
