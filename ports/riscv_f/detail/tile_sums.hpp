// SPDX-License-Identifier: MIT
//
// Sixteen sums in registers, as four rows of four columns, two of eight or one of sixteen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/steps.hpp>

namespace heed::detail {

/// Rows of A with all columns of B over `rounds` rounds of AtOnce steps, of A `a_step` floats apart, of B `b_step`.
/// Constants of the caller stay constants here.
template <int Rows, int AtOnce>
[[gnu::always_inline]] inline void add_rounds(const Steps& steps, std::ptrdiff_t a_row, std::ptrdiff_t a_step,
                                              std::ptrdiff_t b_step, std::uint32_t count,
                                              const SumRows& sums) noexcept {
  constexpr int columns = port::lanes / Rows;
#pragma GCC unroll 1
  for (std::ptrdiff_t first = 0; first < port::lanes; first += columns) {
    const float* a = steps.a;
    const float* b = steps.b + first;
    float sum[std::size_t{Rows}][std::size_t{columns}];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int i = 0; i < columns; ++i) sum[r][i] = sums.start[first + r * sums.start_row + i];
    }
#pragma GCC unroll 1
    for (std::uint32_t rounds = count; rounds != 0; --rounds) {
#pragma GCC unroll 16
      for (int s = 0; s < AtOnce; ++s) {
        float factor[std::size_t{Rows}];
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) factor[r] = a[r * a_row];
#pragma GCC unroll 16
        for (int i = 0; i < columns; ++i) {
          const float column = b[i];
#pragma GCC unroll 16
          for (int r = 0; r < Rows; ++r) sum[r][i] = port::fused(factor[r], column, sum[r][i]);
        }
        a += a_step;
        b += b_step;
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
      for (int i = 0; i < columns; ++i) sums.end[first + r * sums.end_row + i] = sum[r][i];
    }
  }
}

/// Step by step.
template <int Rows>
[[gnu::noinline]] inline void add_each_step(const Steps& steps, const SumRows& sums) noexcept {
  add_rounds<Rows, 1>(steps, steps.a_row, steps.a_step, steps.b_step, steps.count, sums);
}

/// Rows of A whose steps lie side by side: four steps a round. PackedB: so do the rows of B.
template <int Rows, bool PackedB>
[[gnu::noinline]] inline void add_four_steps(const Steps& steps, const SumRows& sums) noexcept {
  add_rounds<Rows, 4>(steps, steps.a_row, 1, PackedB ? port::lanes : steps.b_step, steps.count / 4, sums);
}

/// Rows of A that lie side by side: two steps a round.
template <int Rows>
[[gnu::noinline]] inline void add_two_steps(const Steps& steps, const SumRows& sums) noexcept {
  add_rounds<Rows, 2>(steps, 1, steps.a_step, steps.b_step, steps.count / 2, sums);
}

/// Several steps a round where A allows it.
template <int Rows>
[[gnu::always_inline]] inline void add_rows(const Steps& steps, const SumRows& sums) noexcept {
  const bool contiguous = steps.a_step == 1;
  const std::uint32_t at_once = contiguous ? 4 : 2;
  if (port::unrolled == 1 || steps.count < at_once || !(contiguous || (Rows > 1 && steps.a_row == 1))) {
    add_each_step<Rows>(steps, sums);
    return;
  }
  if (!contiguous) {
    if constexpr (Rows > 1) add_two_steps<Rows>(steps, sums);
  } else if (steps.b_step == port::lanes) {
    add_four_steps<Rows, true>(steps, sums);
  } else {
    add_four_steps<Rows, false>(steps, sums);
  }
  const std::uint32_t left = steps.count % at_once;
  if (left != 0) add_each_step<Rows>(steps.after(steps.count - left), {sums.end, sums.end_row, sums.end, sums.end_row});
}

/// One to four rows of sixteen sums, over all steps.
inline void add_steps(Steps steps, SumRows sums, int rows) noexcept {
  if (rows == 4) {
    add_rows<4>(steps, sums);
    return;
  }
  if (rows >= 2) {
    add_rows<2>(steps, sums);
    steps.a += 2 * steps.a_row;
    sums.start += 2 * sums.start_row;
    sums.end += 2 * sums.end_row;
  }
  if (rows % 2 == 1) add_rows<1>(steps, sums);
}

}  // namespace heed::detail
