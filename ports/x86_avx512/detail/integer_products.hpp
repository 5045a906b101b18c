// SPDX-License-Identifier: MIT
//
// Products of integers with AVX-512. Those of bytes are added to 16 bits with saturation, so that it takes bytes where
// the weights are nibbles, and pairs of 16 bits elsewhere.
#pragma once

#include <detail/integer_lanes.hpp>

namespace heed::detail {

inline constexpr bool multiplies_bytes = false;

/// Rows whose sums stay in registers at once, and those of a call.
inline constexpr int rows_of_a_sum = 16;
inline constexpr int rows_of_a_call = 16;

/// Rows and panels of a matrix whose sums do: products are no faster than a load for each.
inline constexpr int rows_of_a_matrix = rows_of_a_sum;
inline constexpr int panels_of_rows = 1;

struct PairDots {
  IntegerLanes sums;
};

/// The same sums, of which compilers may not add the terms in another order: they would keep the terms of many steps,
/// for which there are no registers.
[[gnu::always_inline]] inline IntegerLanes in_order(IntegerLanes sums) noexcept {
  asm("" : "+v"(sums.all));
  return sums;
}

/// dots + a b, of both pairs in every lane.
[[gnu::always_inline]] inline PairDots add_dots(const PairDots& dots, const IntegerLanes& a,
                                                const IntegerLanes& b) noexcept {
  return {in_order(add(dots.sums, {_mm512_madd_epi16(a.all, b.all)}))};
}

[[gnu::always_inline]] inline IntegerLanes sums_of(const PairDots& dots) noexcept {
  return dots.sums;
}

/// Sums of 16 bits, two in a lane.
struct ByteDots {
  IntegerLanes sums;
};

/// Eight additions for a group of 32 inputs: 16 products of nibbles, which are 15 * 127 at most, do not overflow.
static_assert(16 * 15 * 127 <= 32767);
[[gnu::always_inline]] inline ByteDots add_dots(const ByteDots& dots, const IntegerLanes& nibbles,
                                                const IntegerLanes& bytes) noexcept {
  return {in_order({_mm512_add_epi16(dots.sums.all, _mm512_maddubs_epi16(nibbles.all, bytes.all))})};
}

[[gnu::always_inline]] inline IntegerLanes sums_of(const ByteDots& dots) noexcept {
  return {_mm512_madd_epi16(dots.sums.all, _mm512_set1_epi16(1))};
}

}  // namespace heed::detail
