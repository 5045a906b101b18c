// SPDX-License-Identifier: MIT
//
// A row of integers as pairs of 16 bits for SMLAD, in runs whose sums stay within 32 bits: of each run, what its sums
// start with, and then for four inputs (x0, x2) and (x1, x3). Where rows and weights are bytes, a word of weights is
// one factor as it is: its halves are 256 q1 + u0 and 256 q3 + u2, u = q + 128, and the pairs are (x1, x3) and
// (256 x0 - x1, 256 x2 - x3), the factors of u0 and u2, so that the sum is 256 times what it stands for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// Words of weights are factors as they are.
template <DataType weights, DataType rows>
inline constexpr bool raw_words = weights != DataType::int4_multipliers&& rows == DataType::int8;

/// Inputs of a run: those of one multiplier, or as many as the sum has bits for.
template <DataType weights, DataType rows>
inline constexpr std::uint32_t run_inputs = weights != DataType::int8 ? scale_group_size
                                            : rows == DataType::int8  ? 512
                                                                      : 1024;

constexpr std::size_t run_bytes(std::uint32_t inputs) noexcept {
  return sizeof(std::int32_t) + inputs * sizeof(std::int16_t);
}

/// x * factor rounded to nearest even, within -2^15..2^15: in the low half, below a constant.
[[nodiscard]] inline std::uint32_t round_number(float x, float factor) noexcept {
  return std::bit_cast<std::uint32_t>(x * factor + 12582912.0F);
}

/// (low, high) of their low halves.
[[nodiscard]] inline std::uint32_t pair_of(std::uint32_t low, std::uint32_t high) noexcept {
  std::uint32_t pair;
  asm("pkhbt %0, %1, %2, lsl #16" : "=r"(pair) : "r"(low), "r"(high));
  return pair;
}

/// What 0 is rounded to.
inline constexpr std::uint32_t rounded_zero = 0x4B400000U;

/// Stores four numbers at `to`; the sum of those whose weights have a bias.
template <bool raw, bool nibbles>
[[nodiscard]] inline std::uint32_t store_four(std::uint32_t x0, std::uint32_t x1, std::uint32_t x2, std::uint32_t x3,
                                              std::uint32_t* to) noexcept {
  to[0] = raw ? pair_of(x1, x3) : pair_of(x0, x2);
  to[1] = raw ? pair_of((x0 << 8) - x1, (x2 << 8) - x3) : pair_of(x1, x3);
  return nibbles ? x0 + x1 + x2 + x3 - 4 * rounded_zero : x0 + x2 - 2 * rounded_zero;
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  constexpr bool raw = raw_words<weights, rows>;
  constexpr bool nibbles = weights == DataType::int4_multipliers;
  auto* to = reinterpret_cast<std::uint32_t*>(row + row_numbers_at);
  while (inputs != 0) {
    const std::uint32_t count = inputs < run_inputs<weights, rows> ? inputs : run_inputs<weights, rows>;
    std::uint32_t* const start = to++;
    std::uint32_t sum = 0;
    std::uint32_t left = count;
    for (; left >= 4; left -= 4) {
      sum += store_four<raw, nibbles>(round_number(x[0], factor), round_number(x[1], factor),
                                      round_number(x[2], factor), round_number(x[3], factor), to);
      x += 4;
      to += 2;
    }
    if (left != 0) {
      sum += store_four<raw, nibbles>(round_number(x[0], factor), left < 2 ? rounded_zero : round_number(x[1], factor),
                                      left < 3 ? rounded_zero : round_number(x[2], factor), rounded_zero, to);
      to += 2;
    }
    const std::uint32_t groups = (count + scale_group_size - 1) / scale_group_size;
    const std::uint32_t* const end = start + 1 + groups * (scale_group_size / 2);
    while (to != end) *to++ = 0;
    *start = nibbles ? 0U - (sum << 3) : raw ? 0U - (sum << 15) : 0U - (sum << 7);
    inputs -= count;
  }
}

}  // namespace heed::detail
