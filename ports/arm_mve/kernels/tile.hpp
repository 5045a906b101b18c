// SPDX-License-Identifier: MIT
//
// The product's tile in eight registers of four floats. A row of B is loaded once per step; the factors of A come in
// pairs or fours into core registers, which a multiply-add takes as they are. Compilers spill the sums, so the loops
// are written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/multiply.hpp>
#include <kernels/steps.hpp>
#include <port.hpp>

namespace heed::detail {

constexpr bool asks_ahead(int) noexcept {
  return false;
}

/// Rows of C from `row` on, Quads times four columns from `lane` of a panel on.
template <int Rows, int Quads>
[[gnu::always_inline]] inline void part(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel,
                                        std::ptrdiff_t lane) noexcept {
  QuadSums<Rows, Quads> sums;
  const std::ptrdiff_t start = row * product.start_row + panel * product.c_panel + lane;
  float* c = product.c + row * product.c_row + panel * product.c_panel + lane;
#pragma GCC unroll 8
  for (int i = 0; i < Rows * Quads; ++i) {
    const int r = i / Quads;
    const int q = i % Quads;
    sums.of[r][q] = vdupq_n_f32(0.0F);
    if (product.start != nullptr) sums.of[r][q] = vld1q_f32(product.start + start + r * product.start_row + 4 * q);
  }
  add_products({product.a + row * product.a_row, product.a_row, product.a_step,
                product.b + panel * product.b_panel + lane, product.b_step, product.depth},
               sums);
#pragma GCC unroll 8
  for (int i = 0; i < Rows * Quads; ++i) {
    vst1q_f32(c + i / Quads * product.c_row + 4 * (i % Quads), sums.of[i / Quads][i % Quads]);
  }
  if (product.column_maxima == nullptr) return;
#pragma GCC unroll 4
  for (int q = 0; q < Quads; ++q) {
    float* maxima = product.column_maxima + lane + 4 * q;
    float32x4_t greatest = vld1q_f32(maxima);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) greatest = vmaxnmq_f32(greatest, sums.of[r][q]);
    vst1q_f32(maxima, greatest);
  }
}

/// The first `count` of four columns of one row.
inline void partial_quad(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel, std::ptrdiff_t lane,
                         std::uint32_t count) noexcept {
  const mve_pred16_t there = vctp32q(count);
  const std::ptrdiff_t column = panel * product.c_panel + lane;
  const float* a = product.a + row * product.a_row;
  const float* b = product.b + panel * product.b_panel + lane;
  float32x4_t sum = vdupq_n_f32(0.0F);
  if (product.start != nullptr) sum = vldrwq_z_f32(product.start + row * product.start_row + column, there);
  for (std::uint32_t left = product.depth; left != 0; --left, a += product.a_step, b += product.b_step) {
    sum = vfmaq_n_f32(sum, vldrwq_z_f32(b, there), *a);
  }
  vstrwq_p_f32(product.c + row * product.c_row + column, sum, there);
}

/// A whole panel of rows [row, row + Rows).
template <int Rows>
inline void whole_tile(const Product& product, std::ptrdiff_t row, std::ptrdiff_t panel) noexcept {
  if constexpr (Rows == 1) {
    part<1, 4>(product, row, panel, 0);
  } else if (product.a_row == 1) {
    for (std::ptrdiff_t lane = 0; lane < port::lanes; lane += 4) part<Rows, 1>(product, row, panel, lane);
  } else if (product.a_step != 1) {
    for (int r = 0; r < Rows; ++r) part<1, 4>(product, row + r, panel, 0);
  } else if constexpr (Rows <= 3) {
    for (std::ptrdiff_t lane = 0; lane < port::lanes; lane += 8) part<Rows, 2>(product, row, panel, lane);
  } else {
    constexpr int upper = (Rows + 1) / 2;
    whole_tile<upper>(product, row, panel);
    whole_tile<Rows - upper>(product, row + upper, panel);
  }
}

/// Rows x sixteen sums. With Partial, the panel has only `lanes` columns.
template <int Rows, int Panels, bool Partial, bool LongRows>
inline void tile(const Product& product, std::ptrdiff_t first_row, std::ptrdiff_t panel, int lanes) noexcept {
  static_assert(Panels == 1 && !LongRows);
  if constexpr (Partial) {
    for (int r = 0; r < Rows; ++r) {
      for (int lane = 0; lane < lanes; lane += 4) {
        const int left = lanes - lane;
        partial_quad(product, first_row + r, panel, lane, static_cast<std::uint32_t>(left < 4 ? left : 4));
      }
    }
  } else {
    whole_tile<Rows>(product, first_row, panel);
  }
}

}  // namespace heed::detail
