// SPDX-License-Identifier: MIT
//
// The sums of a product's tile: where they start, and where they end.
#pragma once

#include <cstddef>
#include <port.hpp>

#include "product/gemm.hpp"

namespace heed::detail {

/// Rows x Panels sixteen-lane sums.
template <int Rows, int Panels>
struct Sums {
  port::f32x16 of[std::size_t{Rows}][std::size_t{Panels}];
};

/// What a tile starts from: 0, or what product.start points to.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void start_sums(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                              int lanes, Sums<Rows, Panels>& sums) noexcept {
  const bool from_zero = product.start == nullptr;
  const std::ptrdiff_t first = first_row * product.start_row + first_panel * product.c_panel;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      if (from_zero) {
        sums.of[r][p] = port::set(0.0F);
        continue;
      }
      const float* from = product.start + first + r * product.start_row + p * product.c_panel;
      sums.of[r][p] = Partial ? port::load_partial(from, lanes) : port::load(from);
    }
  }
}

template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void store_sums(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                              int lanes, const Sums<Rows, Panels>& sums) noexcept {
  // Read once: as far as the compiler knows, a store may change the product.
  const std::ptrdiff_t c_row = product.c_row;
  const std::ptrdiff_t c_panel = product.c_panel;
  float* c = product.c + first_row * c_row + first_panel * c_panel;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      float* to = c + r * c_row + p * c_panel;
      if constexpr (Partial) {
        port::store_partial(to, sums.of[r][p], lanes);
      } else {
        port::store(to, sums.of[r][p]);
      }
    }
  }
}

template <int Rows>
[[gnu::always_inline]] inline void join_maxima(const Sums<Rows, 1>& sums, float* maxima) noexcept {
  port::f32x16 greatest = port::load(maxima);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) greatest = port::max(greatest, sums.of[r][0]);
  port::store(maxima, greatest);
}

}  // namespace heed::detail
