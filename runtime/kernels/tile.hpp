// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <port.hpp>

#include "product/gemm.hpp"

namespace heed::detail {

/// How many steps before its use a row of B is asked for.
inline constexpr std::ptrdiff_t steps_ahead = 16;

/// Where `steps` strides further on lies, for a hint; where that overflows, at any address.
constexpr std::ptrdiff_t ahead(std::ptrdiff_t steps, std::ptrdiff_t stride) noexcept {
  return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(steps) * static_cast<std::size_t>(stride));
}

/// Tiles of fewer rows wait for memory as it is.
constexpr bool prefetches_rows(int rows) noexcept {
  return port::prefetches && rows >= 4;
}

/// sums += column of A x row of B.
template <int Rows, int Panels, bool Partial>
[[gnu::always_inline]] inline void add_step(const float* a, std::ptrdiff_t a_row, const float* b,
                                            std::ptrdiff_t b_panel, int lanes, Sums<Rows, Panels>& sums) noexcept {
  using namespace port;
  f32x16 panel[std::size_t{Panels}];
#pragma GCC unroll 16
  for (int p = 0; p < Panels; ++p) panel[p] = Partial ? load_partial(b, lanes) : load(b + p * b_panel);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const f32x16 factor = set(a[r * a_row]);
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) sums.of[r][p] = fma(factor, panel[p], sums.of[r][p]);
  }
}

/// Rows x Panels sums held in registers over the whole depth. With Partial, the (single) panel has only `lanes`
/// columns. With LongRows, the rows of A are contiguous, and the next tile's are asked for on the way; so is a part of
/// the next panels of B, which are weights and come from afar: a line of sixteen floats for each line of a row.
template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t first_panel,
                                        int lanes) noexcept {
  static_assert(!Partial || Panels == 1);
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);

  const float* a = product.a + first_row * product.a_row;
  const float* b = product.b + first_panel * product.b_panel;
  const std::ptrdiff_t a_row = product.a_row;
  const std::ptrdiff_t a_step = product.a_step;
  const std::ptrdiff_t b_step = product.b_step;
  const std::ptrdiff_t b_panel = product.b_panel;
  const auto add_steps = [&](std::uint32_t steps) __attribute__((always_inline)) {
    for (; steps != 0; --steps) {
      add_step<Rows, Panels, Partial>(a, a_row, b, b_panel, lanes, sums);
      if constexpr (prefetches_rows(Rows)) port::prefetch(b, ahead(steps_ahead, b_step));
      a += a_step;
      b += b_step;
    }
  };
  std::uint32_t left = product.depth;
  if constexpr (LongRows) {
    const float* const begin = b;
    std::ptrdiff_t next = Panels * b_panel + first_row / Rows * (left / port::lanes) * port::lanes;
    for (; left > port::lanes; left -= port::lanes) {
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) port::prefetch(a, ahead(Rows + r, a_row));
      port::prefetch_far(begin, next);
      next += port::lanes;
      add_steps(port::lanes);
    }
  }
  add_steps(left);

  if constexpr (Panels == 1 && !Partial) {
    if (product.column_maxima != nullptr) join_maxima<Rows>(sums, product.column_maxima);
  }
  store_sums<Rows, Panels, Partial>(product, first_row, first_panel, lanes, sums);
}

}  // namespace heed::detail
