// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <neon_dot_tile.hpp>

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 16;

/// Sixteen registers of sums, or eight in lower tiles, so that 32 inputs' weights of a quad, or sixteen of two, fit
/// beside them.
template <DataType rows>
inline constexpr int tile_height = rows == DataType::int16 ? 8 : 16;
/// As many queries as attention scores together.
inline constexpr int query_tile_height = 12;
template <DataType rows>
constexpr int tile_quads(int height) noexcept {
  return height == 1 ? 4 : height * number_planes<rows> > 8 ? 1 : 2;
}

/// Sixteen numbers of a row and of the next one, as a tile takes them.
[[gnu::always_inline]] inline TwoRegisters joined_rows(int8x16_t even, int8x16_t odd) noexcept {
  return {even, odd};
}

/// The same, stored where a pointer is, which moves on.
[[gnu::always_inline]] inline void store_joined(int8x16_t even, int8x16_t odd, std::int8_t*& to) noexcept {
  register int8x16_t first asm("v0") = even;
  register int8x16_t second asm("v1") = odd;
  asm volatile("st1 {%1.16b, %2.16b}, [%0], #32" : "+r"(to) : "w"(first), "w"(second) : "memory");
}

template <DataType weights, DataType rows, int Height, int Quads>
using IntegerTile = DotTile<weights, rows, Height, Quads>;

}  // namespace heed::detail
