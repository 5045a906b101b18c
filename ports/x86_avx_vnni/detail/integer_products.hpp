// SPDX-License-Identifier: MIT
//
// Products of integers with AVX-VNNI, which adds four products of bytes, or two of 16 bits, to each lane.
#pragma once

#include <detail/integer_lanes.hpp>

namespace heed::detail {

inline constexpr bool multiplies_bytes = true;

/// Rows whose sums stay in registers at once, and those of a call.
inline constexpr int rows_of_a_sum = 6;
inline constexpr int rows_of_a_call = 18;

/// Rows and panels of a matrix whose sums do: products are no faster than a load for each.
inline constexpr int rows_of_a_matrix = rows_of_a_sum;
inline constexpr int panels_of_rows = 1;

struct PairDots {
  IntegerLanes sums;
};

/// dots + a b, of both pairs in every lane.
[[gnu::always_inline]] inline PairDots add_dots(const PairDots& dots, const IntegerLanes& a,
                                                const IntegerLanes& b) noexcept {
  return {
      {_mm256_dpwssd_avx_epi32(dots.sums.low, a.low, b.low), _mm256_dpwssd_avx_epi32(dots.sums.high, a.high, b.high)}};
}

[[gnu::always_inline]] inline IntegerLanes sums_of(const PairDots& dots) noexcept {
  return dots.sums;
}

struct ByteDots {
  IntegerLanes sums;
};

/// dots + a b, of four bytes in every lane, those of a without a sign.
[[gnu::always_inline]] inline ByteDots add_dots(const ByteDots& dots, const IntegerLanes& a,
                                                const IntegerLanes& b) noexcept {
  return {
      {_mm256_dpbusd_avx_epi32(dots.sums.low, a.low, b.low), _mm256_dpbusd_avx_epi32(dots.sums.high, a.high, b.high)}};
}

[[gnu::always_inline]] inline IntegerLanes sums_of(const ByteDots& dots) noexcept {
  return dots.sums;
}

}  // namespace heed::detail
