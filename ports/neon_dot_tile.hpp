// SPDX-License-Identifier: MIT
//
// Tiles of products of integers with dot products of four bytes. Numbers of 16 bits are two planes of bytes: 32 low
// bytes, which have a sign, then the 32 high ones.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <neon_integer_weights.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// Whether rows of 16 bits are planes of bytes.
inline constexpr bool short_rows_are_planes = true;

template <DataType rows>
inline constexpr int number_planes = rows == DataType::int16 ? 2 : 1;

/// Sixteen numbers of a plane, from input k on.
template <DataType rows>
[[gnu::always_inline]] inline int8x16_t load_numbers(const std::byte* x, std::size_t k, int plane) noexcept {
  const auto* const bytes = reinterpret_cast<const std::int8_t*>(x);
  return vld1q_s8(rows == DataType::int16 ? bytes + k / 32 * 64 + k % 32 + plane * 32 : bytes + k);
}

/// Two registers from where a pointer is, which moves on. Not loaded earlier than what was loaded before: gcc would
/// load the numbers of all rows first, and run out of registers.
struct TwoRegisters {
  int8x16_t first;
  int8x16_t second;
};
[[gnu::always_inline]] inline TwoRegisters load_two(const std::byte*& from) noexcept {
  TwoRegisters two;
  asm volatile("ldp %q0, %q1, [%2], #32" : "=w"(two.first), "=w"(two.second), "+r"(from)::"memory");
  return two;
}

/// What sums of the planes come to.
template <int Planes>
[[gnu::always_inline]] inline int32x4_t join_planes(const int32x4_t (&sums)[Planes]) noexcept {
  if constexpr (Planes == 1) {
    return sums[0];
  } else {
    return vaddq_s32(sums[0], vshlq_n_s32(sums[1], 8));
  }
}

/// Where a tile finds the numbers of a row, one of `height`: those of a row alone lie in order, those of two as
/// kernels/row_pairs.hpp has joined them.
template <DataType rows, int height>
[[gnu::always_inline]] inline const std::byte* numbers_from(const std::byte* numbers, std::uint32_t first) noexcept {
  return numbers + std::size_t{first} * static_cast<std::size_t>(height == 1 ? number_planes<rows> : 2);
}

template <DataType weights, DataType rows, int Height, int Quads>
struct DotTile {
  static constexpr std::size_t step = 16;
  static constexpr int planes = number_planes<rows>;
  int32x4_t sums[Height][Quads][planes]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers_from<rows, Height>(numbers, first);
  }

  /// `inputs` of one row times as many weights.
  template <int eights>
  [[gnu::always_inline]] void add_row(const WeightQuad (&w)[eights][Quads], int8x16_t numbers, int row,
                                      int plane) noexcept {
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) {
      int32x4_t& sum = sums[row][q][plane];
      sum = vdotq_laneq_s32(sum, w[0][q].first, numbers, 0);
      sum = vdotq_laneq_s32(sum, w[0][q].second, numbers, 1);
      if constexpr (eights == 2) {
        sum = vdotq_laneq_s32(sum, w[1][q].first, numbers, 2);
        sum = vdotq_laneq_s32(sum, w[1][q].second, numbers, 3);
      }
    }
  }

  template <std::size_t Count>
  [[gnu::always_inline]] void add(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    constexpr int eights = Count / 8;
    WeightQuad w[eights][Quads];
#pragma GCC unroll 16
    for (int e = 0; e < eights; ++e) {
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) w[e][q] = load_quad<weights>(panel + q * 16, k + static_cast<std::size_t>(e) * 8);
    }
    if constexpr (Height == 1) {
#pragma GCC unroll 16
      for (int p = 0; p < planes; ++p) add_row<eights>(w, load_numbers<rows>(x[0], k, p), 0, p);
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < Height; r += 2) {
#pragma GCC unroll 16
        for (int p = 0; p < planes; ++p) {
          const TwoRegisters numbers = load_two(x[r + p]);
          add_row<eights>(w, numbers.first, r, p);
          add_row<eights>(w, numbers.second, r + 1, p);
        }
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return join_planes(sums[row][quad]);
  }
};

}  // namespace heed::detail
