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

/// sums [16] of every row.
[[gnu::noinline]] inline void sums_of_panel(const IntegerProduct& product) noexcept {
  const std::byte* x = product.row(0) + row_numbers_at + product.first / block_inputs * run_bytes(block_inputs) +
                       sizeof(std::int32_t);
  std::int32_t* to = product.sums;
  for (std::uint32_t left = product.rows; left != 0; --left, x += product.row_bytes, to += panel_width) {
    const std::byte* const end = x + product.inputs * sizeof(std::int16_t);
    six_sums_of_bytes(product.weights, x, end, to);
    six_sums_of_bytes(product.weights + 24, x, end, to + 6);
    four_sums_of_bytes(product.weights + 48, x, end, to + 12);
  }
}

/// How many rows' sums with weights of int8 have been made, from the first one on: all, unless few outputs are wanted.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  if (product.outputs <= 8) return 0;
  sums_of_panel(product);
  return product.rows;
}

}  // namespace heed::detail
