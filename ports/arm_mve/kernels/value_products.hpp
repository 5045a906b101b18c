// SPDX-License-Identifier: MIT
//
// Weights times the values of all keys that some rows see, from sums in core registers to floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "../detail/long_rows.hpp"
#include "../detail/weighed_rows.hpp"
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

/// Rows that are weighed at once, at most.
inline constexpr std::uint32_t most_weighed_rows = 16;

/// Rounds the rows of a product to their halves, from `high` on, and says where the outputs of fours go; the last four
/// may overlap.
[[gnu::noinline]] inline void begin_weighed_rows(const ValueProduct& product, const float* p, std::ptrdiff_t p_row,
                                                 const float* greatest, std::byte* high, ManyRows& rows,
                                                 WeighedSums* sums) noexcept {
  constexpr float most = most_of_rows<DataType::int16>;
  std::byte* const low = high + product.rows * weighed_keys;
  float scales[most_weighed_rows];
  for (std::uint32_t r = 0; r < product.rows; ++r, p += p_row) {
    std::byte* const high_row = high + r * weighed_keys;
    std::byte* const low_row = low + r * weighed_keys;
    scales[r] = greatest[r] < 0x1p-100F ? 0.0F : greatest[r] * (1.0F / most);
    if (greatest[r] >= 0x1p-100F) {
      store_halves(p, most / greatest[r], weighed_keys / 16, high_row, low_row);
    } else {
#pragma GCC unroll 1
      for (std::uint32_t i = 0; i < weighed_keys; ++i) high_row[i] = low_row[i] = std::byte{0};
    }
  }
  const std::uint32_t fours = (product.rows + 3) / 4;
  rows.fours = fours;
  rows.fours_bytes = fours * std::uint32_t{sizeof(WeighedSums)};
#pragma GCC unroll 1
  for (std::uint32_t four = 0; four < fours; ++four) {
    const std::uint32_t first = product.rows - 4 < 4 * four ? product.rows - 4 : 4 * four;
#pragma GCC unroll 1
    for (std::uint32_t pair = 0; pair < outputs_of_many / 2; ++pair) {
      sums[pair * fours + four].high = high + (first + 1) * weighed_keys;
      sums[pair * fours + four].low = low + (first + 1) * weighed_keys;
    }
    for (std::uint32_t r = 0; r < 4; ++r) {
      rows.outputs[four].y[r] = product.result + std::size_t{first + r} * product.width;
      rows.outputs[four].scale[r] = scales[first + r];
    }
  }
#pragma GCC unroll 1
  for (std::uint32_t pair = 0; pair < outputs_of_many / 2; ++pair) {
    rows.sums_at[pair / 2][pair % 2 * 2] =
        reinterpret_cast<std::uintptr_t>(sums[pair * fours].of_low) - sizeof(WeighedSums);
    rows.sums_at[pair / 2][pair % 2 * 2 + 1] = 0;
  }
}

/// All results at once, from weights that have not been rounded. Whether that has been done: of four rows or more and
/// as many keys as there is a loop for.
[[nodiscard, gnu::noinline]] inline bool round_and_multiply_weights(const ValueProduct& product, const float* p,
                                                                    std::ptrdiff_t p_row, const float* greatest,
                                                                    std::byte* rounded) noexcept {
  if (!has_loops_of_many_rows || product.keys != weighed_keys || product.channels % panel_width != 0) return false;
  if (product.rows < 4 || product.rows > most_weighed_rows) return false;
  WeighedSums sums[outputs_of_many / 2 * most_weighed_rows / 4];
  FourOutputs outputs[most_weighed_rows / 4];
  ManyRows rows;
  rows.outputs = outputs;
  begin_weighed_rows(product, p, p_row, greatest, rounded, rows, sums);
  vst1q_u32(rows.at, WeightWords(product.values + 256 + 7 * 256).at);
  for (std::uint32_t channel = 0; channel < product.channels; channel += outputs_of_many) {
    rows.pairs = outputs_of_many / 2;
    sum_weighed_rows(rows, sums);
    outputs_of_weighed_rows(rows);
    if (channel % panel_width == 0) continue;
    vst1q_u32(rows.at,
              vaddq_n_u32(vld1q_u32(rows.at), static_cast<std::uint32_t>(product.panel_bytes) - 4 * panel_width));
  }
  return true;
}

}  // namespace heed::detail
