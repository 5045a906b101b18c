// SPDX-License-Identifier: MIT
//
// Tiles of as many rows as are left: a copy of the tile for each number of them.
#pragma once

#include <cstddef>
#include <kernels/tile.hpp>
#include <port.hpp>

#include "product/gemm.hpp"

namespace heed::detail {

/// Rows [first_row, first_row + Rows) of panels [panel, end), several panels at a time where the rows are few.
template <int Rows, bool LongRows>
static void multiply_rows(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t panel,
                          std::ptrdiff_t end) noexcept {
  constexpr int step = port::tile_panels(Rows);
  if constexpr (step > 1) {
    for (; panel + step <= end; panel += step) tile<Rows, step, false, LongRows>(product, first_row, panel, 0);
  }
  for (; panel < end; ++panel) tile<Rows, 1, false, LongRows>(product, first_row, panel, 0);
}

/// Calls f.template operator()<Rows>() with the run-time value `rows`, 1..tile_rows.
template <int Rows = port::tile_rows, class Function>
[[gnu::always_inline]] inline void with_rows(int rows, Function f) noexcept {
  if constexpr (Rows == 1) {
    f.template operator()<1>();
  } else {
    if (rows == Rows) {
      f.template operator()<Rows>();
    } else {
      with_rows<Rows - 1>(rows, f);
    }
  }
}

/// Rows [first_row, first_row + rows), 1..tile_rows of them, of whole panels [panel, end). With `long_rows`, the rows
/// of A are contiguous, and so long that the next tile's are better asked for.
[[gnu::always_inline]] inline void multiply_whole_panels(const Gemm& product, std::ptrdiff_t first_row, int rows,
                                                         std::ptrdiff_t panel, std::ptrdiff_t end,
                                                         bool long_rows) noexcept {
  with_rows(rows, [&]<int Rows>() {
    if (prefetches_rows(Rows) && long_rows) {
      multiply_rows<Rows, prefetches_rows(Rows)>(product, first_row, panel, end);
    } else {
      multiply_rows<Rows, false>(product, first_row, panel, end);
    }
  });
}

/// The same rows of a panel that has only `lanes` columns.
[[gnu::always_inline]] inline void multiply_partial_panel(const Gemm& product, std::ptrdiff_t first_row, int rows,
                                                          std::ptrdiff_t panel, int lanes) noexcept {
  with_rows(rows, [&]<int Rows>() { tile<Rows, 1, true, false>(product, first_row, panel, lanes); });
}

}  // namespace heed::detail
