// SPDX-License-Identifier: MIT
#include <kernels/multiply.hpp>
#include <kernels/tile.hpp>

#include "heed/layout.hpp"

namespace heed::detail {
namespace {

constexpr int tile_rows = port::tile_rows;

/// Rows [first_row, first_row + Rows) of panels [panel, panels), several panels at a time where the rows are few.
template <int Rows>
void multiply_rows(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel,
                   std::ptrdiff_t panels) noexcept {
  constexpr int step = port::tile_panels(Rows);
  if constexpr (step > 1) {
    for (; panel + step <= panels; panel += step) tile<Rows, step, false>(product, first_row, panel, 0);
  }
  for (; panel < panels; ++panel) tile<Rows, 1, false>(product, first_row, panel, 0);
}

template <int Rows>
void multiply_rows_partial(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  tile<Rows, 1, true>(product, first_row, panel, lanes);
}

/// Calls f.template operator()<Rows>() with the run-time value `rows`, 1..tile_rows.
template <int Rows = tile_rows, class Function>
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
  const std::ptrdiff_t whole_rows = rows / tile_rows * tile_rows;
  const int last_rows = static_cast<int>(rows - whole_rows);

  if (whole_rows == 0) {
    with_rows(last_rows, [&]<int Rows>() { multiply_rows<Rows>(product, 0, 0, panels); });
  } else {
    // A panel of B stays in the first-level cache while all rows of A pass by it.
    for (std::ptrdiff_t panel = 0; panel < panels; ++panel) {
      for (std::ptrdiff_t row = 0; row < whole_rows; row += tile_rows) {
        multiply_rows<tile_rows>(product, row, panel, panel + 1);
      }
      if (last_rows != 0) {
        with_rows(last_rows, [&]<int Rows>() { multiply_rows<Rows>(product, whole_rows, panel, panel + 1); });
      }
    }
  }
  if (lanes == 0) return;
  for (std::ptrdiff_t row = 0; row < whole_rows; row += tile_rows) {
    multiply_rows_partial<tile_rows>(product, row, panels, lanes);
  }
  if (last_rows != 0) {
    with_rows(last_rows, [&]<int Rows>() { multiply_rows_partial<Rows>(product, whole_rows, panels, lanes); });
  }
}

}  // namespace heed::detail
