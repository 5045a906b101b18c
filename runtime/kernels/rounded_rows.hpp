// SPDX-License-Identifier: MIT
//
// Rows that a port rounds all at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// Rounds rows [count, inputs], `stride` apart, to row_bytes each, as round_row() and join_product_rows() do. Whether
/// that has been done.
template <DataType weights, DataType rows>
[[nodiscard]] bool round_all_rows(const float* /*x*/, std::ptrdiff_t /*stride*/, std::uint32_t /*count*/,
                                  std::uint32_t /*inputs*/, std::size_t /*row_bytes*/, std::byte* /*to*/) noexcept {
  return false;
}

}  // namespace heed::detail
