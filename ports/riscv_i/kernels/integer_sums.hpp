// SPDX-License-Identifier: MIT
//
// Sums of products of integers as riscv_f makes them, but those of weights of 4 bits and rows of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <riscv_f/kernels/integer_sums.hpp>

#include "../detail/sums_of_groups.hpp"

namespace heed::detail {

template <>
inline void integer_sums<DataType::int4_multipliers, DataType::int8>(const IntegerProduct& product) noexcept {
  const std::size_t first = row_numbers_at + product.first / scale_group_size * run_bytes(scale_group_size);
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    sums_of_groups(product.weights, product.row(row) + first, product.multipliers, product.inputs / 8,
                   product.sums + row * panel_width, product.outputs);
  }
}

}  // namespace heed::detail
