// SPDX-License-Identifier: MIT
//
// A panel of a product (product/gemm.hpp) that has fewer than sixteen columns, eight or four of them at a time: what
// the 64-bit and the 32-bit Arm port share.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <neon_lanes.hpp>

namespace heed::detail {

/// Four columns of the panel, or eight; or, if there are fewer than four, `count`. Rows beyond the last of `rows`, up
/// to Rows, are that one again. a, b, start (null for 0) and c point to the first row and column.
template <int Rows, int Quads, class Product>
inline void multiply_some_columns(const Product& product, int rows, const float* a, const float* b, const float* start,
                                  float* c, int count) noexcept {
  if constexpr (Quads > 1) count = 4;
  std::ptrdiff_t row[Rows];
  float32x4_t sums[Rows][Quads];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    row[r] = r < rows ? r : rows - 1;
#pragma GCC unroll 2
    for (int q = 0; q < Quads; ++q) {
      sums[r][q] = vdupq_n_f32(0.0F);
      if (start == nullptr) continue;
      sums[r][q] = port::detail::load_first(start + row[r] * product.start_row + 4 * q, count);
    }
  }
  for (std::uint32_t left = product.depth; left != 0; --left, a += product.a_step, b += product.b_step) {
#pragma GCC unroll 2
    for (int q = 0; q < Quads; ++q) {
      const float32x4_t columns = port::detail::load_first(b + 4 * q, count);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) {
        sums[r][q] = vfmaq_f32(sums[r][q], columns, vdupq_n_f32(a[row[r] * product.a_row]));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int q = 0; q < Quads; ++q) {
      port::detail::store_first(c + row[r] * product.c_row + 4 * q, sums[r][q], count);
    }
  }
}

/// Up to Rows rows of a panel that has only `lanes` columns.
template <int Rows, class Product>
[[gnu::noinline]] inline void multiply_partial_rows(const Product& product, std::ptrdiff_t row, int rows,
                                                    std::ptrdiff_t panel, int lanes) noexcept {
  const float* a = product.a + row * product.a_row;
  const float* b = product.b + panel * product.b_panel;
  const float* start = product.start;
  if (start != nullptr) start += row * product.start_row + panel * product.c_panel;
  float* c = product.c + row * product.c_row + panel * product.c_panel;
  // The last columns can overlap the ones before, unless these are what the sums start from.
  const bool overlap = start == nullptr;
  for (int lane = 0; lane < lanes;) {
    const int left = lanes - lane;
    const int taken = lanes >= 8 && (overlap || left >= 8) ? 8 : 4;
    const int at = overlap && left < taken && lanes >= taken ? lanes - taken : lane;
    const float* from = start == nullptr ? nullptr : start + at;
    if (taken == 8) {
      multiply_some_columns<Rows, 2>(product, rows, a, b + at, from, c + at, 8);
    } else {
      multiply_some_columns<Rows, 1>(product, rows, a, b + at, from, c + at, lanes - at);
    }
    lane += taken;
  }
}

}  // namespace heed::detail
