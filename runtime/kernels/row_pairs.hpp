// SPDX-License-Identifier: MIT
//
// What happens to rounded rows before products read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// All rows are stored, `row_bytes` apart, each of `inputs` numbers: nothing else is done to them here. A port whose
/// products take several rows at once may join them, within the bytes of the rows, from the first row on; products then
/// begin at rows that are multiples of `integer_rows`.
template <DataType rows>
void join_rows(std::byte* /*row*/, std::size_t /*row_bytes*/, std::uint32_t /*count*/,
               std::uint32_t /*inputs*/) noexcept {}

/// Likewise of rows of products with weights of a type, or of queries, whose weights are keys of int8.
template <DataType weights, DataType rows>
void join_product_rows(std::byte* row, std::size_t row_bytes, std::uint32_t count, std::uint32_t inputs) noexcept {
  join_rows<rows>(row, row_bytes, count, inputs);
}

}  // namespace heed::detail
