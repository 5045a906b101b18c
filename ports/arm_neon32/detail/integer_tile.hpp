// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <neon_integer_tile.hpp>

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// Eight registers of sums, of sixteen.
template <DataType rows>
inline constexpr int tile_height = 4;
template <DataType rows>
constexpr int tile_quads(int height) noexcept {
  if (rows == DataType::int16) return height == 1 ? 2 : 1;
  return 4 / height;
}

}  // namespace heed::detail
