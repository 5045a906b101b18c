// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <neon_integer_tile.hpp>

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// Sixteen registers of sums, so that the weights of a quad and the numbers of a row fit beside them.
template <DataType rows>
inline constexpr int tile_height = 4;
inline constexpr int query_tile_height = tile_height<DataType::int8>;
template <DataType rows>
constexpr int tile_quads(int height) noexcept {
  return height == 4 || (height == 2 && rows == DataType::int16) ? 2 : 4;
}

}  // namespace heed::detail
