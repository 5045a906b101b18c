// SPDX-License-Identifier: MIT
//
// The product's tile on single floats: sixteen sums stay in registers over the whole depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/tile_sums.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

constexpr bool prefetches_rows(int) noexcept {
  return false;
}

/// Some neighbouring sums of one row.
template <int Lanes>
[[gnu::always_inline]] inline void add_some_lanes(const Steps& steps, const float* a, const float* start, int lane,
                                                  float* end) noexcept {
  const float* b = steps.b + lane;
  float sums[std::size_t{Lanes}];
#pragma GCC unroll 8
  for (int i = 0; i < Lanes; ++i) sums[i] = start[lane + i];
#pragma GCC unroll 1
  for (std::uint32_t k = steps.count; k != 0; --k) {
    const float factor = *a;
#pragma GCC unroll 8
    for (int i = 0; i < Lanes; ++i) sums[i] = port::fused(factor, b[i], sums[i]);
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

/// `rows` x `lanes` sums: all sixteen lanes, or the last panel's, which has fewer columns.
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
  // Tiles of one row are those of ports whose multiply-add is a call: no sums are in registers.
  if constexpr (port::tile_rows == 1) {
    add_lanes(steps, sums, rows, lanes);
  } else {
    if (lanes != port::lanes) {
      add_lanes(steps, sums, rows, lanes);
      return;
    }
    add_steps(steps, sums, rows);
  }
}

template <int Rows, int Panels, bool Partial, bool LongRows>
[[gnu::always_inline]] inline void tile(const Gemm& product, std::ptrdiff_t first_row, std::ptrdiff_t panel,
                                        int lanes) noexcept {
  static_assert(Rows <= port::tile_rows && Panels == 1 && !LongRows);
  add_tile(product, first_row, panel, Rows, Partial ? lanes : port::lanes);
}

}  // namespace heed::detail
