// SPDX-License-Identifier: MIT
//
// What happens to rounded rows before products read them: every three are joined for weights of int8, in code for
// speed. The one or two after them stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/three_rows.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Other rows stay as they are.
template <DataType rows>
void join_rows(std::byte* /*row*/, std::size_t /*row_bytes*/, std::uint32_t /*count*/,
               std::uint32_t /*inputs*/) noexcept {}

/// Rows that all are stored, `row_bytes` apart, each of `inputs` numbers.
template <DataType weights, DataType /*rows*/>
void join_product_rows(std::byte* row, std::size_t row_bytes, std::uint32_t count, std::uint32_t inputs) noexcept {
  if constexpr (port::unrolled != 1 && weights == DataType::int8) {
    if (inputs > joined_inputs) return;
    for (; count >= 3; count -= 3, row += 3 * row_bytes) join_three_rows(row, row_bytes, inputs);
  }
}

}  // namespace heed::detail
