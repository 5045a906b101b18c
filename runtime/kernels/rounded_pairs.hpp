// SPDX-License-Identifier: MIT
//
// Rows that are rounded two at a time, and queries of eight channels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// Whether a port has store_row_pair() for rows of a type.
template <DataType rows>
inline constexpr bool rounds_row_pairs = false;

/// Stores two rows x [inputs], times a factor each, as store_row() and join_product_rows() do; `row` is the first one.
/// A factor of 0 makes every number 0, but that of a NaN.
template <DataType rows>
void store_row_pair(const float* const (&x)[2], const float (&factors)[2], std::uint32_t inputs,
                    std::byte* row) noexcept;

/// Whether a port has round_eight().
inline constexpr bool rounds_eights = false;

/// Rounds x [8], whose weights are keys of int8, to its scale and numbers, as round_row() does.
void round_eight(const float* x, std::byte* row) noexcept;

}  // namespace heed::detail
