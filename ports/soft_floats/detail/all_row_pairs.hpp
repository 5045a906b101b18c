// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Calls sums_of(weights, run of the first row, bytes to that of the other, words, sums of the first row) for every two
/// rows of bytes and so many outputs; returns how many rows that were.
template <std::uint32_t outputs, class SumsOf>
[[nodiscard]] std::uint32_t for_each_row_pair(const IntegerProduct& product, const SumsOf& sums_of) noexcept {
  constexpr std::uint32_t inputs = run_inputs<DataType::int8>;
  std::uint32_t row = 0;
  for (; row + 2 <= product.rows; row += 2) {
    const std::byte* const run = product.row(row) + row_numbers_at + product.first / inputs * run_bytes(inputs);
    std::int32_t* const to = product.sums + row * panel_width;
    for (std::uint32_t output = 0; output < product.outputs; output += outputs) {
      sums_of(product.weights + output * 4, run, product.row_bytes, product.inputs / 4, to + output);
    }
  }
  return row;
}

}  // namespace heed::detail
