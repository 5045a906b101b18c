// SPDX-License-Identifier: MIT
//
// The product's tile on single floats: sixteen sums stay in registers over the whole depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/join_maxima.hpp>
#include <kernels/multiply.hpp>
#include <kernels/tile_sums.hpp>
#include <port.hpp>

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

#ifdef __OPTIMIZE_SIZE__
inline constexpr bool unrolled = false;
#else
inline constexpr bool unrolled = true;
#endif

/// Sixteen sums from their start to their end.
template <int Rows>
[[gnu::always_inline]] inline void add_steps(Steps steps, SumRows rows) noexcept {
  const bool contiguous = steps.a_step == 1;
  const std::uint32_t at_once = !unrolled ? 0 : contiguous ? 4 : Rows == 2 && steps.a_row == 1 ? 2 : 0;
  if (at_once != 0 && steps.count >= at_once) {
    if (!contiguous) {
      add_two_lanes_by_two(steps, rows);
    } else if (Rows == 2) {
      add_two_rows_by_four(steps, rows);
    } else {
      add_one_row_by_four(steps, rows);
    }
    const std::uint32_t left = steps.count % at_once;
    if (left == 0) return;
    steps = steps.after(steps.count - left);
    rows.start[0] = rows.end[0];
    rows.start[1] = rows.end[1];
  }
  if (Rows == 2) {
    add_two_rows(steps, rows);
  } else {
    add_one_row(steps, rows);
  }
}

/// A row of the panel that has only `lanes` columns, one sum at a time.
[[gnu::noinline]] inline void add_lanes(const Steps& steps, const float* start, float* sums, int lanes) noexcept {
  for (int lane = 0; lane < lanes; ++lane) {
    const float* a = steps.a;
    const float* b = steps.b + lane;
    float total = start[lane];
    for (std::uint32_t k = steps.count; k != 0; --k, a += steps.a_step, b += steps.b_step) {
      total = __builtin_fmaf(*a, *b, total);
    }
    sums[lane] = total;
  }
}

/// Rows x sixteen sums. With Partial, the panel has only `lanes` columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  static_assert(Rows <= 2 && Panels == 1 && !LongRows);
  static constexpr float zeros[port::lanes] = {};
  const std::ptrdiff_t panel_at = panel * product.c_panel;
  const std::ptrdiff_t start_row = product.start == nullptr ? 0 : product.start_row;
  const float* start = product.start == nullptr ? zeros : product.start + first_row * start_row + panel_at;
  float* c = product.c + first_row * product.c_row + panel_at;
  Steps steps{product.a + first_row * product.a_row, product.a_row,  product.a_step,
              product.b + panel * product.b_panel,   product.b_step, product.depth};
  if constexpr (Partial) {
    for (int r = 0; r < Rows; ++r) {
      add_lanes(steps, start, c, lanes);
      steps.a += product.a_row;
      start += start_row;
      c += product.c_row;
    }
    return;
  }
  if constexpr (Rows == 1) {
    add_steps<1>(steps, {{start, start + 8}, {c, c + 8}});
  } else {
#pragma GCC unroll 1
    for (std::ptrdiff_t half = 0; half < 16; half += 8) {
      add_steps<2>(steps, {{start + half, start + start_row + half}, {c + half, c + product.c_row + half}});
      steps.b += 8;
    }
  }
  if (product.column_maxima == nullptr) return;
  for (int r = 0; r < Rows; ++r) join_maxima(c + r * product.c_row, product.column_maxima);
}

}  // namespace heed::detail
