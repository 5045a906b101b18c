// SPDX-License-Identifier: MIT
//
// Sums of products of integers: what a row and sixteen outputs come to, exactly, in whatever order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "common/integer_product.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// product.sums [product.rows, 16]. With multipliers that packing never writes, a sum wraps around.
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  using Number = typename RowNumbers<rows>::Number;
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    const auto* x = reinterpret_cast<const Number*>(product.row(row) + row_numbers_at) + product.first;
    for (std::uint32_t output = 0; output < panel_width; ++output) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < product.inputs;) {
        const std::uint32_t left = product.inputs - k;
        const std::uint32_t end = k + (left < scale_group_size ? left : scale_group_size);
        std::int32_t part = 0;
        for (std::uint32_t i = k; i < end; ++i) part += weight_number<weights>(product.weights, i, output) * x[i];
        if constexpr (weights != DataType::int8) {
          part = shifted<group_shift<weights, rows>>(part) *
                 product.multipliers[k / scale_group_size * panel_width + output];
        }
        sum += static_cast<std::uint32_t>(part);
        k = end;
      }
      product.sums[row * panel_width + output] = static_cast<std::int32_t>(sum);
    }
  }
}

}  // namespace heed::detail
