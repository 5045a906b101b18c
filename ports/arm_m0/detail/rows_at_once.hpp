// SPDX-License-Identifier: MIT
//
// Whole panels: six, six and four outputs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"
#include "sums_of_bytes.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// sums [16] of the numbers of a row's run up to `end`.
inline void sum_panel(const std::byte* weights, const std::byte* numbers, const std::byte* end,
                      std::int32_t* sums) noexcept {
  six_sums_of_bytes(weights, numbers, end, sums);
  six_sums_of_bytes(weights + 24, numbers, end, sums + 6);
  four_sums_of_bytes(weights + 48, numbers, end, sums + 12);
}

/// sums [16] of every row.
[[gnu::noinline]] inline void sum_panel_rows(const IntegerProduct& product) noexcept {
  const std::byte* x =
      product.row(0) + row_numbers_at + product.first / block_inputs * run_bytes(block_inputs) + sizeof(std::int32_t);
  std::int32_t* to = product.sums;
  for (std::uint32_t left = product.rows; left != 0; --left, x += product.row_bytes, to += panel_width) {
    sum_panel(product.weights, x, x + product.inputs * sizeof(std::int16_t), to);
  }
}

/// How many rows' sums with weights of int8 have been made, from the first one on: all, unless few outputs are wanted.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  if (product.outputs <= 8) return 0;
  sum_panel_rows(product);
  return product.rows;
}

}  // namespace heed::detail
