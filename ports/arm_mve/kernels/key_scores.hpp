// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and many keys of eight channels, which would take longer to begin with than to add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_row.hpp>

#include "../detail/byte_tiles.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// y = float(sum) * (scale * scale of the row) for whole panels of keys, two rows at a time, or the last one twice;
/// false for other heads.
[[nodiscard, gnu::noinline]] inline bool score_keys(const MatrixProduct& product) noexcept {
  if (product.inputs != 8) return false;
  for (std::uint32_t row = 0; row < product.count; row += 2) {
    const std::byte* const first = product.rows + row * product.row_bytes;
    const bool has_second = row + 1 < product.count;
    const std::byte* const second = has_second ? first + product.row_bytes : first;
    const std::ptrdiff_t y_row = has_second ? product.y_row : 0;
    float* y = product.y + static_cast<std::ptrdiff_t>(row) * product.y_row;
    const std::byte* weights = product.weights;
    const float* scales = product.scales;
    std::int32_t sums[2 * panel_width];
    for (std::uint32_t left = product.outputs; left != 0; left -= panel_width) {
      two_rows_of_8(weights, first + row_numbers_at, second + row_numbers_at, sums);
      scale_sums(sums, scales, *reinterpret_cast<const float*>(first), y);
      scale_sums(sums + panel_width, scales, *reinterpret_cast<const float*>(second), y + y_row);
      weights += 8 * panel_width;
      scales += panel_width;
      y += panel_width;
    }
  }
  return true;
}

}  // namespace heed::detail
