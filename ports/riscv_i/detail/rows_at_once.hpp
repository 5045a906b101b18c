// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <soft_floats/detail/all_row_pairs.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"
#include "row_pair.hpp"
#include "row_triple.hpp"
#include "sums_of_outputs.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 3;

/// Sums of one row after the other, from that of this number on.
[[gnu::noinline]] inline void sums_of_single_rows(const IntegerProduct& product, std::uint32_t row) noexcept {
  const std::size_t first = row_numbers_at + product.first / block_inputs * run_bytes(block_inputs);
  for (; row < product.rows; ++row) {
    sums_of_outputs(product.weights, product.row(row) + first, product.inputs / 4, product.outputs,
                    product.sums + row * panel_width);
  }
}

/// How many rows' sums with weights of int8 have been made: all.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  std::uint32_t done = 0;
  if constexpr (rows == DataType::int8) {
    if (product.rows == integer_rows) {
      sums_of_three_rows<8, eight_sums_of_three_rows>(product);
      return integer_rows;
    }
    done = for_each_row_pair<8>(product, sums_of_row_pair);
  }
  if (done != product.rows) sums_of_single_rows(product, done);
  return product.rows;
}

}  // namespace heed::detail
