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
  return (low & 0xFFFFU) | (high << 16);
}

/// Stores four numbers at `to`; what their weights' bias adds to a sum, a quarter of it for nibbles.
template <bool raw>
[[nodiscard]] inline std::uint32_t store_four(const std::uint32_t (&x)[4], std::uint32_t* to) noexcept {
  if constexpr (raw) {
    to[0] = pair_of(x[1], x[3]);
    to[1] = pair_of((x[0] << 8) - x[1], (x[2] << 8) - x[3]);
  } else {
    to[0] = pair_of(x[0], x[2]);
    to[1] = pair_of(x[1], x[3]);
  }
  return x[0] + x[2];
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  constexpr bool raw = raw_words<weights, rows>;
  constexpr bool nibbles = weights == DataType::int4_multipliers;
  constexpr std::uint32_t zero = 0x4B400000U;  // what 0 is rounded to
  auto* to = reinterpret_cast<std::uint32_t*>(row + row_numbers_at);
  while (inputs != 0) {
    const std::uint32_t count = inputs < run_inputs<weights, rows> ? inputs : run_inputs<weights, rows>;
    std::uint32_t* const start = to++;
    std::uint32_t sum = 0;
    std::uint32_t i = 0;
    for (; i < count; i += 4) {
      std::uint32_t four[4] = {zero, zero, zero, zero};
      if (count - i >= 4) {
        for (std::uint32_t n = 0; n < 4; ++n) four[n] = round_number(x[n], factor);
      } else {
        for (std::uint32_t n = 0; n < count - i; ++n) four[n] = round_number(x[n], factor);
      }
      sum += store_four<raw>(four, to) - 2 * zero;
      if constexpr (nibbles) sum += four[1] + four[3] - 2 * zero;
      x += 4;
      to += 2;
    }
    for (; i % scale_group_size != 0; i += 4) {
      *to++ = 0;
      *to++ = 0;
    }
    *start = nibbles ? 0U - (sum << 3) : raw ? 0U - (sum << 15) : 0U - (sum << 7);
    inputs -= count;
  }
}

}  // namespace heed::detail
