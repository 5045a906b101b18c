// SPDX-License-Identifier: MIT
//
// Where a tile stands in A, B and C, and how far the rows of B are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Rows of one panel, as the loops read it: strides in bytes.
struct Tile {
  const float* a;
  std::ptrdiff_t a_step;
  const float* b;
  std::ptrdiff_t b_step;
  const float* start;
  std::ptrdiff_t start_row;
  float* c;
  std::ptrdiff_t c_row;
  float* maxima;  ///< [16], or null
  std::ptrdiff_t a_row;
  std::uint32_t fours;  ///< steps, four at a time
  std::uint32_t left;   ///< steps that are left then
};
static_assert(offsetof(Tile, b) == 8 && offsetof(Tile, start) == 16 && offsetof(Tile, c) == 24);
static_assert(offsetof(Tile, maxima) == 32 && offsetof(Tile, fours) == 40);

/// The bytes of a panel's row.
inline constexpr int panel_row_bytes = port::lanes * sizeof(float);

/// Whether loops come once for each of these distances of the rows of B: that of a panel, of values of 32 or 64
/// floats; and once for any other. A known one costs no addition.
#ifdef __OPTIMIZE_SIZE__
inline constexpr bool knows_steps = false;
#else
inline constexpr bool knows_steps = true;
#endif

/// Calls f.template operator()<Step>() with that distance in bytes, or with 0 for any.
template <class Function>
[[gnu::always_inline]] inline void with_step(std::ptrdiff_t step, Function f) noexcept {
  if constexpr (knows_steps) {
    switch (step) {
      case panel_row_bytes: return f.template operator()<panel_row_bytes>();
      case 2 * panel_row_bytes: return f.template operator()<2 * panel_row_bytes>();
      case 4 * panel_row_bytes: return f.template operator()<4 * panel_row_bytes>();
      default: break;
    }
  }
  f.template operator()<0>();
}

}  // namespace heed::detail
