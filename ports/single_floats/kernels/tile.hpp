// SPDX-License-Identifier: MIT
//
// The product's tile on single floats: sixteen sums stay in registers over the whole depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/join_maxima.hpp>
#include <detail/tile_sums.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

/// One or two rows of sixteen sums, over all steps, one by one.
inline void add_each_step(const Steps& steps, const SumRows& sums, int rows) noexcept {
  if (rows == 2) {
    add_two_rows(steps, sums);
  } else {
    add_one_row(steps, sums);
  }
}

/// The same, with several steps a round where A allows it.
inline void add_steps(const Steps& steps, const SumRows& sums, int rows) noexcept {
  const bool contiguous = steps.a_step == 1;
  const std::uint32_t at_once = contiguous ? 4 : 2;
  if (port::unrolled == 1 || steps.count < at_once || !(contiguous || (rows == 2 && steps.a_row == 1))) {
    add_each_step(steps, sums, rows);
    return;
  }
  if (!contiguous) {
    add_two_lanes_by_two(steps, sums);
  } else if (rows == 2) {
    add_two_rows_by_four(steps, sums);
  } else if (steps.b_step == port::lanes) {
    add_one_row_by_four<true>(steps, sums);
  } else {
    add_one_row_by_four<false>(steps, sums);
  }
  const std::uint32_t left = steps.count % at_once;
  if (left != 0) add_each_step(steps.after(steps.count - left), {sums.end, sums.end_row, sums.end, sums.end_row}, rows);
}

/// Some neighbouring sums of one row.
template <int Lanes>
[[gnu::always_inline]] inline void add_some_lanes(const Steps& steps, const float* a, const float* start, int lane,
                                                  float* end) noexcept {
  const float* b = steps.b + lane;
  float sums[Lanes];
#pragma GCC unroll 8
  for (int i = 0; i < Lanes; ++i) sums[i] = start[lane + i];
#pragma GCC unroll 1
  for (std::uint32_t k = steps.count; k != 0; --k) {
    const float factor = *a;
#pragma GCC unroll 8
    for (int i = 0; i < Lanes; ++i) sums[i] = __builtin_fmaf(factor, b[i], sums[i]);
    a += steps.a_step;
    b += steps.b_step;
  }
#pragma GCC unroll 8
  for (int i = 0; i < Lanes; ++i) end[lane + i] = sums[i];
}

/// Rows of the panel that has only `lanes` columns, some sums at a time.
[[gnu::noinline]] inline void add_lanes(const Steps& steps, const SumRows& sums, int rows, int lanes) noexcept {
  const float* a = steps.a;
  const float* start = sums.start;
  float* end = sums.end;
  for (; rows != 0; --rows) {
    int lane = 0;
    if constexpr (port::unrolled != 1) {
      for (; lane + 8 <= lanes; lane += 8) add_some_lanes<8>(steps, a, start, lane, end);
      for (; lane + 4 <= lanes; lane += 4) add_some_lanes<4>(steps, a, start, lane, end);
    }
#pragma GCC unroll 1
    for (; lane < lanes; ++lane) add_some_lanes<1>(steps, a, start, lane, end);
    a += steps.a_row;
    start += sums.start_row;
    end += sums.end_row;
  }
}

/// `rows` x `lanes` sums: one row, or two; all sixteen lanes, or the last panel's, which has fewer columns.
[[gnu::noinline]] inline void add_tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int rows,
                                       int lanes) noexcept {
  static constexpr float zeros[port::lanes] = {};
  const std::ptrdiff_t panel_at = panel * product.c_panel;
  SumRows sums{zeros, 0, product.c + first_row * product.c_row + panel_at, product.c_row};
  if (product.start != nullptr) {
    sums.start = product.start + first_row * product.start_row + panel_at;
    sums.start_row = product.start_row;
  }
  Steps steps{product.a + first_row * product.a_row, product.a_row,  product.a_step,
              product.b + panel * product.b_panel,   product.b_step, product.depth};
  if (lanes != port::lanes) {
    add_lanes(steps, sums, rows, lanes);
    return;
  }
  add_steps(steps, sums, rows);
  if (product.column_maxima == nullptr) return;
  join_maxima(sums.end, product.column_maxima);
  if (rows == 2) join_maxima(sums.end + sums.end_row, product.column_maxima);
}

template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t panel,
                                        int lanes) noexcept {
  static_assert(Rows <= 2 && Panels == 1 && !LongRows);
  add_tile(product, first_row, panel, Rows, Partial ? lanes : port::lanes);
}

}  // namespace heed::detail
