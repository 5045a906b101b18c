// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and all keys of a block, three by three and query by query: sums, in the places of scores,
// and then what they come to. Of what takes stack one is called after the other, not below it.
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

/// Sums of one query, in the places of its scores.
[[gnu::noinline]] inline void sum_keys_of_row(const MatrixProduct& product, const std::byte* numbers,
                                              Sum* sums) noexcept {
  const std::byte* keys = product.weights;
  PairedRow<16, 8> paired;
  const bool pairs = paired.prepare(numbers, product.inputs);
  const PairedProduct* const two_words =
      pairs && product.inputs == 8 && product.outputs != 0 ? paired.two_words() : nullptr;
  if (two_words != nullptr) {
    const TwoPairedWords words{&two_words->words->word, two_words->start, sums, sums + product.outputs,
                               two_words->singles};
    sum_two_words(&words, keys);
    return;
  }
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    if (pairs) {
      paired.multiply(keys, sums + first);
    } else {
      sum_panel(keys, numbers, numbers + product.inputs * sizeof(std::int16_t), sums + first);
    }
    keys += std::size_t{product.inputs} * panel_width;
  }
}

/// Likewise of three, whose prepared numbers take the room of `floats` floats.
[[gnu::noinline]] inline void sum_keys_of_three_rows(const MatrixProduct& product, const std::byte* numbers, Sum* sums,
                                                     float* room, std::uint32_t floats) noexcept {
  const std::byte* keys = product.weights;
  RowTriple triple;
  triple.numbers = numbers;
  triple.distance = product.row_bytes;
  triple.inputs = triple.prepared = product.inputs;
  triple.at_once = three_row_inputs;
  while (triple.at_once * 2 + 2 > floats) triple.at_once -= 8;
  triple.rows = reinterpret_cast<PreparedRows*>(room);
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    sum_three_rows(triple, keys, sums + first, product.y_row);
    keys += std::size_t{product.inputs} * panel_width;
  }
}

/// Scores of one query and all of its channels, block by block.
[[gnu::noinline]] inline void score_blocks(const MatrixProduct& product, const std::byte* row, float* scores) noexcept {
  const RowOfSums scale(*reinterpret_cast<const float*>(row));
  const std::byte* keys = product.weights;
  for (std::uint32_t first = 0; first < product.outputs; first += panel_width) {
    const std::byte* numbers = numbers_of(row);
    for (std::uint32_t left = product.inputs; left != 0;) {
      const std::uint32_t count = left < block_inputs ? left : block_inputs;
      std::int32_t sums[panel_width];
      sum_panel(keys, numbers, numbers + count * sizeof(std::int16_t), sums);
      if (left == product.inputs) {
        scaled_outputs(sums, product.scales + first, scale, -0.0F, scores + first);
      } else {
        add_sums(sums, product.scales + first, scale, scores + first, scores + first);
      }
      keys += std::size_t{count} * panel_width;
      numbers += run_bytes(block_inputs);
      left -= count;
    }
  }
}

/// Scores of whole panels of keys, as score_panel() has them, in code for speed; `room` is of at least 48 floats if
/// there are three rows.
[[nodiscard]] inline bool score_keys(const MatrixProduct& product, float* room, std::uint32_t floats) noexcept {
  if (port::takes_support) return false;
  const std::byte* row = product.rows;
  float* scores = product.y;
  if (product.inputs > block_inputs) {
    for (std::uint32_t r = 0; r < product.count; ++r, row += product.row_bytes, scores += product.y_row) {
      score_blocks(product, row, scores);
    }
    return true;
  }
  for (std::uint32_t left = product.count; left != 0;) {
    std::uint32_t rows = 1;
    if (left < 3) {
      sum_keys_of_row(product, numbers_of(row), reinterpret_cast<Sum*>(scores));
    } else {
      sum_keys_of_three_rows(product, numbers_of(row), reinterpret_cast<Sum*>(scores), room, floats);
      rows = 3;
    }
    for (left -= rows; rows != 0; --rows, row += product.row_bytes, scores += product.y_row) {
      const RowOfSums scale(*reinterpret_cast<const float*>(row));
      scaled_outputs(reinterpret_cast<Sum*>(scores), product.scales, scale, -0.0F, scores, product.outputs);
    }
  }
  return true;
}

}  // namespace heed_own_code
}  // namespace heed::detail
