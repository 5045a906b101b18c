// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and all keys of a block, in code for speed: three rows that are joined at a time, or two of
// eight channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_scores.hpp>
#include <kernels/integer_sums.hpp>
#include <port.hpp>

#include "../detail/eight_channels.hpp"
#include "../detail/three_rows.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The scores of one row or two after those that are joined.
[[gnu::noinline]] inline void score_last_rows(const MatrixProduct& product, std::uint32_t done) noexcept {
  std::int32_t sums[2 * panel_width];
  IntegerProduct panel{.weights = product.weights,
                       .multipliers = nullptr,
                       .first_row = product.rows + done * product.row_bytes,
                       .row_bytes = product.row_bytes,
                       .rows = product.count - done,
                       .first = 0,
                       .inputs = product.inputs,
                       .sums = sums};
  float* scores = product.y + static_cast<std::ptrdiff_t>(done) * product.y_row;
  for (std::uint32_t key = 0; key < product.outputs; key += panel_width) {
    score_panel(panel, product.scales + key, scores + key, product.y_row);
    panel.weights += std::size_t{product.inputs} * panel_width;
  }
}

/// Scores of whole panels of keys, as score_panel() has them, where three rows or more have been joined, or two have
/// eight channels.
[[nodiscard]] inline bool score_keys(const MatrixProduct& product) noexcept {
  if constexpr (port::unrolled == 1) return false;
  if (product.inputs == 8 && product.count == 2) {
    const std::byte* const second = product.rows + product.row_bytes;
    const EightChannels part{product.weights,
                             product.rows + row_numbers_at,
                             second + row_numbers_at,
                             product.scales,
                             product.y,
                             product.y_row * std::ptrdiff_t{sizeof(float)},
                             product.outputs / panel_width};
    score_eight_channels(part, *reinterpret_cast<const float*>(product.rows), *reinterpret_cast<const float*>(second));
    return true;
  }
  if (product.inputs > joined_inputs || product.count < 3) return false;
  // What is added to -0 stays what it is.
  static constexpr float nothing[2]{-0.0F, -0.0F};
  std::uint32_t done = 0;
  for (; product.count - done >= 3; done += 3) {
    const std::byte* const rows = product.rows + done * product.row_bytes;
    const auto* const scales = reinterpret_cast<const float*>(rows);
    const OutputTriples part{product.weights,
                             rows + 3 * sizeof(float),
                             product.scales,
                             nothing,
                             0,
                             product.y + static_cast<std::ptrdiff_t>(done) * product.y_row,
                             product.y_row * std::ptrdiff_t{sizeof(float)},
                             product.inputs,
                             product.outputs / 2};
    pairs_of_three_rows(part, scales[0], scales[1], scales[2]);
  }
  if (done != product.count) score_last_rows(product, done);
  return true;
}

}  // namespace heed::detail
