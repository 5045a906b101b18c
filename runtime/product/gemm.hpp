// SPDX-License-Identifier: MIT
//
// The matrix product.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// C = start + A B, the one product of scores, values and projections.
///   A [rows, depth]: element (r, k) at a[r * a_row + k * a_step].
///   B [depth, columns] in panels of 16 columns: row k of panel p at b + p * b_panel + k * b_step.
///   C [rows, columns]: row r of panel p at c + r * c_row + p * c_panel; columns past the last one are not touched.
///   start: null for 0; otherwise laid out as C, with start_row in place of c_row (0: one row for all, a bias).
/// Every element is one chain of fused multiply-adds over ascending k, whatever the tiling. All strides in floats.
struct Gemm {
  const float* a;
  std::ptrdiff_t a_row;
  std::ptrdiff_t a_step;
  const float* b;
  std::ptrdiff_t b_panel;
  std::ptrdiff_t b_step;
  float* c;
  std::ptrdiff_t c_row;
  std::ptrdiff_t c_panel;
  const float* start;
  std::ptrdiff_t start_row;
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t depth;
  float* column_maxima = nullptr;  ///< [columns], joined by the greatest element of each column unless the port's
                                   ///< softmax_by_rows is true; for at most panels_at_once whole panels
};

/// Changes `product` while it runs, to begin at another column, and restores it before it returns.
void multiply(Gemm& product) noexcept;

}  // namespace heed::detail
