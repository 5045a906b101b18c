// SPDX-License-Identifier: MIT
//
// Sixteen sums in registers, as two rows of eight columns or one row of sixteen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/steps.hpp>

namespace heed::detail {

/// Rows x Columns sums from column `first` on over `rounds` rounds of AtOnce steps, of A `a_step` floats apart, of B
/// `b_step`. Constants of the caller stay constants here.
template <int Rows, int Columns, int AtOnce>
[[gnu::always_inline]] inline void add_rounds(const Steps& steps, std::ptrdiff_t a_row, std::ptrdiff_t a_step,
                                              std::ptrdiff_t b_step, std::uint32_t rounds, std::ptrdiff_t first,
                                              const SumRows& sums) noexcept {
  const float* a = steps.a;
  const float* b = steps.b + first;
  float sum[std::size_t{Rows}][std::size_t{Columns}];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < Columns; ++i) sum[r][i] = sums.start[first + r * sums.start_row + i];
  }
#pragma GCC unroll 1
  for (; rounds != 0; --rounds) {
#pragma GCC unroll 16
    for (int s = 0; s < AtOnce; ++s) {
      float factor[std::size_t{Rows}];
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) factor[r] = a[r * a_row];
#pragma GCC unroll 16
      for (int i = 0; i < Columns; ++i) {
        const float column = b[i];
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) sum[r][i] = __builtin_fmaf(factor[r], column, sum[r][i]);
      }
      a += a_step;
      b += b_step;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < Columns; ++i) sums.end[first + r * sums.end_row + i] = sum[r][i];
  }
}

/// Two rows of A, with eight columns of B and then the other eight.
[[gnu::noinline]] inline void add_two_rows(const Steps& steps, const SumRows& sums) noexcept {
#pragma GCC unroll 1
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    add_rounds<2, 8, 1>(steps, steps.a_row, steps.a_step, steps.b_step, steps.count, half, sums);
  }
}

/// One row of A with sixteen columns of B.
[[gnu::noinline]] inline void add_one_row(const Steps& steps, const SumRows& sums) noexcept {
  add_rounds<1, 16, 1>(steps, 0, steps.a_step, steps.b_step, steps.count, 0, sums);
}

/// Two rows of A whose steps lie side by side: four steps a round, at least one round.
[[gnu::noinline]] inline void add_two_rows_by_four(const Steps& steps, const SumRows& sums) noexcept {
#pragma GCC unroll 1
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    add_rounds<2, 8, 4>(steps, steps.a_row, 1, steps.b_step, steps.count / 4, half, sums);
  }
}

/// Two rows of A that lie side by side: two steps a round, at least one round.
[[gnu::noinline]] inline void add_two_lanes_by_two(const Steps& steps, const SumRows& sums) noexcept {
#pragma GCC unroll 1
  for (std::ptrdiff_t half = 0; half < 16; half += 8) {
    add_rounds<2, 8, 2>(steps, 1, steps.a_step, steps.b_step, steps.count / 2, half, sums);
  }
}

/// One row of A whose steps lie side by side: four steps a round, at least one round. PackedB: so do the rows of B.
template <bool PackedB>
[[gnu::noinline]] inline void add_one_row_by_four(const Steps& steps, const SumRows& sums) noexcept {
  add_rounds<1, 16, 4>(steps, 0, 1, PackedB ? port::lanes : steps.b_step, steps.count / 4, 0, sums);
}

}  // namespace heed::detail
