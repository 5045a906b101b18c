// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/multiply.hpp>
#include <port.hpp>

namespace heed::detail {

/// Rows x Panels sixteen-lane sums held in registers over the whole depth. With Partial, the (single) panel has only
/// `lanes` columns.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  using namespace port;
  static_assert(!Partial || Panels == 1);
  f32x16 sums[Rows][Panels];
  if (product.start != nullptr) {
    const float* start = product.start + first_row * product.start_row + first_panel * product.c_panel;
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) {
        const float* from = start + r * product.start_row + p * product.c_panel;
        sums[r][p] = Partial ? load_partial(from, lanes) : load(from);
      }
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) sums[r][p] = set(0.0F);
    }
  }

  const float* a = product.a + first_row * product.a_row;
  const float* b = product.b + first_panel * product.b_panel;
  const std::ptrdiff_t a_row = product.a_row;
  const std::ptrdiff_t a_step = product.a_step;
  const std::ptrdiff_t b_step = product.b_step;
  const std::ptrdiff_t b_panel = product.b_panel;
  for (std::uint32_t k = product.depth; k != 0; --k) {
    f32x16 panel[Panels];
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) panel[p] = Partial ? load_partial(b, lanes) : load(b + p * b_panel);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const f32x16 factor = set(a[r * a_row]);
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) sums[r][p] = fma(factor, panel[p], sums[r][p]);
    }
    a += a_step;
    b += b_step;
  }

  if constexpr (Panels == 1 && !Partial) {
    if (product.column_maxima != nullptr) {
      f32x16 greatest = load(product.column_maxima);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) greatest = max(greatest, sums[r][0]);
      store(product.column_maxima, greatest);
    }
  }
  float* c = product.c + first_row * product.c_row + first_panel * product.c_panel;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      float* to = c + r * product.c_row + p * product.c_panel;
      if constexpr (Partial) {
        store_partial(to, sums[r][p], lanes);
      } else {
        store(to, sums[r][p]);
      }
    }
  }
}

}  // namespace heed::detail
