// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <soft_floats/detail/all_row_pairs.hpp>

#include "row_pair.hpp"
#include "row_triple.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 3;

/// How many rows' sums with weights of int8 have been made, from the first one on.
template <DataType rows>
[[nodiscard]] std::uint32_t rows_at_once(const IntegerProduct& product) noexcept {
  if constexpr (rows != DataType::int8) return 0;
  if (product.rows == integer_rows) {
    sums_of_three_rows<8, eight_sums_of_three_rows>(product);
    return 3;
  }
  return for_each_row_pair<8>(product, sums_of_row_pair);
}

}  // namespace heed::detail
