// SPDX-License-Identifier: MIT
//
// Weights times the values of all keys that some rows see, from sums in core registers to floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "../detail/long_rows.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// `taken` rows from `first` on, by the loop of four, or by that of two if they are no more: the last one several
/// times.
[[gnu::noinline]] inline void multiply_some(const ValueProduct& product, std::uint32_t first,
                                            std::uint32_t taken) noexcept {
  const bool four = taken > 2;
  WeighedRows rows;
  const std::size_t numbers = row_numbers_at;
  const std::size_t bias_at =
      numbers + biases_at<DataType::int16>(product.keys) + (product.keys - 1) / scale_group_size * sizeof(std::int32_t);
  for (std::uint32_t r = 0; r < (four ? 4U : 2U); ++r) {
    const std::uint32_t number = first + (r < taken ? r : taken - 1);
    const std::byte* const row = product.weights + number * product.row_bytes;
    rows.x[r] = row + numbers;
    rows.bias[r] = *reinterpret_cast<const std::int32_t*>(row + bias_at);
    const float scale = *reinterpret_cast<const float*>(row);
    rows.scale[r][0] = scale;
    rows.scale[r][1] = scale;
    const auto y = reinterpret_cast<std::uintptr_t>(product.result + std::size_t{number} * product.width);
    rows.y[2 * r] = y - (four ? 8 : 0);
    rows.y[2 * r + 1] = 0;
  }
  rows.rounds = product.keys / 16;
  rows.back = rows.rounds * 256 - (four ? 8 : 16);
  const std::byte* values = product.values;
  for (std::uint32_t channel = 0; channel < product.channels; channel += panel_width) {
    const std::uint32_t left = product.channels - channel;
    const std::uint32_t outputs = left < panel_width ? left : panel_width;
    rows.times = four ? (outputs + 1) / 2 : (outputs + 3) / 4;
    four ? weigh_for_four_rows(rows, values) : weigh_for_two_rows(rows, values);
    values += product.panel_bytes;
  }
}

/// All results at once: float(sum) * scale of the row. Whether that has been done: one row's sums are better taken by
/// themselves.
[[nodiscard]] inline bool multiply_weights(const ValueProduct& product) noexcept {
  if constexpr (has_loops_of_many_rows) {
    if (product.rows < 2) return false;
    for (std::uint32_t row = 0; row < product.rows; row += 4) {
      multiply_some(product, row, product.rows - row < 4 ? product.rows - row : 4);
    }
  }
  return has_loops_of_many_rows;
}

}  // namespace heed::detail
