// SPDX-License-Identifier: MIT
#include <kernels/multiply.hpp>
#include <kernels/tile.hpp>

#include "heed/layout.hpp"

namespace heed::detail {
namespace {

constexpr std::ptrdiff_t tile_rows = port::tile_rows;

/// Rows [first_row, first_row + Rows) of panels [panel, end), several panels at a time where the rows are few.
template <int Rows>
void multiply_rows(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel,
                   std::ptrdiff_t end) noexcept {
  constexpr int step = port::tile_panels(Rows);
  if constexpr (step > 1) {
    for (; panel + step <= end; panel += step) tile<Rows, step, false>(product, first_row, panel, 0);
  }
  for (; panel < end; ++panel) tile<Rows, 1, false>(product, first_row, panel, 0);
}

/// Rows of the next tile when `left` rows are left: full tiles, and two of nearly the same height at the end, because
/// a tile of few rows has too few independent sums to keep the multipliers busy.
[[nodiscard]] int next_rows(std::ptrdiff_t left) noexcept {
  if (left >= 2 * tile_rows) return port::tile_rows;
  return static_cast<int>(left > tile_rows ? (left + 1) / 2 : left);
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

}  // namespace

void multiply(const Product& product) noexcept {
  const auto panels = static_cast<std::ptrdiff_t>(product.columns / panel_width);
  const auto lanes = static_cast<int>(product.columns % panel_width);
  const auto rows = static_cast<std::ptrdiff_t>(product.rows);
  // A panel of B stays in the first-level cache while all rows of A pass by it. Rows of one tile take all panels at
  // once.
  const std::ptrdiff_t panels_at_once = rows <= tile_rows ? panels : 1;
  for (std::ptrdiff_t panel = 0; panel < panels; panel += panels_at_once) {
    for (std::ptrdiff_t row = 0; row < rows;) {
      const int taken = next_rows(rows - row);
      with_rows(taken, [&]<int Rows>() { multiply_rows<Rows>(product, row, panel, panel + panels_at_once); });
      row += taken;
    }
  }
  for (std::ptrdiff_t row = 0; lanes != 0 && row < rows;) {
    const int taken = next_rows(rows - row);
    with_rows(taken, [&]<int Rows>() { tile<Rows, 1, true>(product, row, panels, lanes); });
    row += taken;
  }
}

}  // namespace heed::detail
