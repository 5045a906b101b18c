// SPDX-License-Identifier: MIT
//
// Whole panels: six, six and four outputs of a row at a time, or in code for speed four of three rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <single_operations.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"
#include "sums_of_bytes.hpp"
#include "three_rows_of_bytes.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = port::for_size ? 1 : 3;

/// sums [16] of the numbers of a row's run up to `end`; in code for size four by four, of as many outputs as are
/// wanted.
inline void sum_panel(const std::byte* weights, const std::byte* numbers, const std::byte* end, std::int32_t* sums,
                      [[maybe_unused]] std::uint32_t outputs = panel_width) noexcept {
  if constexpr (port::for_size) {
    for (std::uint32_t output = 0; output < outputs; output += 4) {
      four_sums_of_bytes(weights + output * 4, numbers, end, sums + output);
    }
    return;
  }
  six_sums_of_bytes(weights, numbers, end, sums);
  six_sums_of_bytes(weights + 24, numbers, end, sums + 6);
  four_sums_of_bytes(weights + 48, numbers, end, sums + 12);
}

/// sums [16] of every row.
[[gnu::noinline]] inline void sum_panel_rows(const IntegerProduct& product, const std::byte* numbers) noexcept {
  std::int32_t* to = product.sums;
  for (std::uint32_t left = product.rows; left != 0; --left, numbers += product.row_bytes, to += panel_width) {
    sum_panel(product.weights, numbers, numbers + product.inputs * sizeof(std::int16_t), to, product.outputs);
  }
}

/// Of three rows of bytes.
[[gnu::noinline]] inline void sum_panel_triple(const IntegerProduct& product, const std::byte* numbers) noexcept {
  PreparedRows rows;
  RowTriple triple;
  triple.numbers = numbers;
  triple.distance = product.row_bytes;
  triple.inputs = triple.prepared = product.inputs;
  triple.at_once = three_row_inputs;
  triple.rows = &rows;
  sum_three_rows(triple, product.weights, product.sums);
}

/// How many rows' sums with weights of int8 have been made, from the first one on: all, unless few outputs are wanted
/// in code for speed.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  if (!port::for_size && product.outputs <= 8) return 0;
  const std::byte* const numbers =
      product.row(0) + row_numbers_at + product.first / block_inputs * run_bytes(block_inputs) + sizeof(std::int32_t);
  if (rows == DataType::int8 && !port::takes_support && product.rows == integer_rows) {
    sum_panel_triple(product, numbers);
  } else {
    sum_panel_rows(product, numbers);
  }
  return product.rows;
}

}  // namespace heed::detail
