// SPDX-License-Identifier: MIT
//
// A tile is fed from the first-level cache, by a load for each factor of A and one for each row of B. The CPU does two
// loads in a cycle, and two fused multiply-adds, so that a load more is a product less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Never: a prefetch takes the place of a load.
constexpr bool asks_ahead(int /*rows*/) noexcept {
  return false;
}

/// Rows of A that one pointer serves; their distances from it stay in registers, the same for every pointer.
inline constexpr int rows_of_a_pointer = 4;

/// Rows x Panels sums held in registers over the whole depth. With Partial, the (single) panel has only `lanes`
/// columns. LongRows is false.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  using namespace port;
  static_assert(!LongRows && (!Partial || Panels == 1));
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);

  const std::ptrdiff_t a_row = product.a_row;
  constexpr int groups = (Rows + rows_of_a_pointer - 1) / rows_of_a_pointer;
  const float* a[std::size_t{groups}];
#pragma GCC unroll 4
  for (int g = 0; g < groups; ++g) a[g] = product.a + (first_row + std::ptrdiff_t{rows_of_a_pointer} * g) * a_row;
  const float* b = product.b + first_panel * product.b_panel;
  const std::ptrdiff_t a_step = product.a_step;
  const std::ptrdiff_t b_step = product.b_step;
  const std::ptrdiff_t b_panel = product.b_panel;

  for (std::uint32_t left = product.depth; left != 0; --left) {
    f32x16 panel[std::size_t{Panels}];
#pragma GCC unroll 8
    for (int p = 0; p < Panels; ++p) panel[p] = Partial ? load_partial(b, lanes) : load(b + p * b_panel);
#pragma GCC unroll 32
    for (int r = 0; r < Rows; ++r) {
      const f32x16 factor = set(a[r / rows_of_a_pointer][r % rows_of_a_pointer * a_row]);
#pragma GCC unroll 8
      for (int p = 0; p < Panels; ++p) sums.of[r][p] = fma(factor, panel[p], sums.of[r][p]);
    }
#pragma GCC unroll 4
    for (int g = 0; g < groups; ++g) a[g] += a_step;
    b += b_step;
  }

  if constexpr (Panels == 1 && !Partial) {
    if (product.column_maxima != nullptr) join_maxima<Rows>(sums, product.column_maxima);
  }
  store_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
}

}  // namespace heed::detail
