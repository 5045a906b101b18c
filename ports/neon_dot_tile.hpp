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

/// Whether weights that several tiles of rows take are staged.
inline constexpr bool stages_weights = true;

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

/// The same of four registers.
struct FourRegisters {
  int8x16_t parts[4];
};
[[gnu::always_inline]] inline FourRegisters load_four(const std::byte*& from) noexcept {
  register int8x16_t part0 asm("v0");
  register int8x16_t part1 asm("v1");
  register int8x16_t part2 asm("v2");
  register int8x16_t part3 asm("v3");
  asm volatile("ld1 {%0.16b, %1.16b, %2.16b, %3.16b}, [%4], #64"
               : "=w"(part0), "=w"(part1), "=w"(part2), "=w"(part3), "+r"(from)::"memory");
  return {{part0, part1, part2, part3}};
}

/// Weights of a quad as a tile takes them, 32 bytes for eight inputs.
struct StagedWeights {
  const std::byte* from;
};

/// Eight inputs' weights of a quad as a tile takes them.
template <class Tile>
[[gnu::always_inline]] inline WeightQuad weights_of(const std::byte* panel, std::size_t k, int quad) noexcept {
  return Tile::load_weights(panel + quad * 16, k);
}
template <class Tile>
[[gnu::always_inline]] inline WeightQuad weights_of(const StagedWeights& staged, std::size_t k, int /*quad*/) noexcept {
  const auto* const from = reinterpret_cast<const std::int8_t*>(staged.from + k * quad_width);
  return {vld1q_s8(from), vld1q_s8(from + 16)};
}

/// Weights of a quad, for whole steps of a tile.
template <class Tile>
[[gnu::always_inline]] inline StagedWeights stage_weights(const std::byte* panel, std::size_t inputs,
                                                          std::byte* to) noexcept {
  for (std::size_t k = 0; inputs - k >= Tile::step; k += Tile::step) {
#pragma GCC unroll 4
    for (std::size_t i = k; i < k + Tile::step; i += 8) {
      Tile::store_weights(panel, i, reinterpret_cast<std::int8_t*>(to + i * quad_width));
    }
  }
  return {to};
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

/// Inputs that a tile takes at once: their weights have to fit beside sixteen registers of sums and four of rows.
template <int Quads>
inline constexpr std::size_t inputs_of_step = Quads == 1 ? 32 : 16;

template <DataType weights, DataType rows, int Height, int Quads>
struct DotTile {
  static constexpr std::size_t step = inputs_of_step<Quads>;
  static constexpr int planes = number_planes<rows>;
  int32x4_t sums[Height][Quads][planes]{};

  static WeightQuad load_weights(const std::byte* w, std::size_t k) noexcept { return load_quad<weights>(w, k); }
  static void store_weights(const std::byte* w, std::size_t k, std::int8_t* to) noexcept {
    const WeightQuad quad = load_weights(w, k);
    vst1q_s8(to, quad.first);
    vst1q_s8(to + 16, quad.second);
  }

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers_from<rows, Height>(numbers, first);
  }

  /// Up to sixteen inputs of one row, from eight `first` of the weights on.
  template <int first, int eights>
  [[gnu::always_inline]] void add_row(const WeightQuad (&w)[eights][Quads], int8x16_t numbers, int row,
                                      int plane) noexcept {
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) {
      int32x4_t& sum = sums[row][q][plane];
      sum = vdotq_laneq_s32(sum, w[first][q].first, numbers, 0);
      sum = vdotq_laneq_s32(sum, w[first][q].second, numbers, 1);
      if constexpr (first + 1 < eights) {
        sum = vdotq_laneq_s32(sum, w[first + 1][q].first, numbers, 2);
        sum = vdotq_laneq_s32(sum, w[first + 1][q].second, numbers, 3);
      }
    }
  }

  template <std::size_t Count, class Weights>
  [[gnu::always_inline]] void add(const Weights& from, const std::byte* (&x)[Height], std::size_t k) noexcept {
    constexpr int eights = Count / 8;
    WeightQuad w[eights][Quads];
#pragma GCC unroll 16
    for (int e = 0; e < eights; ++e) {
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) w[e][q] = weights_of<DotTile>(from, k + static_cast<std::size_t>(e) * 8, q);
    }
    if constexpr (Height == 1) {
#pragma GCC unroll 16
      for (int p = 0; p < planes; ++p) add_row<0>(w, load_numbers<rows>(x[0], k, p), 0, p);
    } else {
#pragma GCC unroll 16
      for (int r = 0; r < Height; r += 2) {
#pragma GCC unroll 16
        for (int p = 0; p < planes; ++p) add_pair(w, x[r + p], r, p);
      }
    }
  }

  /// A row and the next one.
  template <int eights>
  [[gnu::always_inline]] void add_pair(const WeightQuad (&w)[eights][Quads], const std::byte*& x, int row,
                                       int plane) noexcept {
    if constexpr (eights == 4) {
      const FourRegisters numbers = load_four(x);
      add_row<0>(w, numbers.parts[0], row, plane);
      add_row<0>(w, numbers.parts[1], row + 1, plane);
      add_row<2>(w, numbers.parts[2], row, plane);
      add_row<2>(w, numbers.parts[3], row + 1, plane);
    } else {
      const TwoRegisters numbers = load_two(x);
      add_row<0>(w, numbers.first, row, plane);
      add_row<0>(w, numbers.second, row + 1, plane);
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return join_planes(sums[row][quad]);
  }
};

}  // namespace heed::detail
