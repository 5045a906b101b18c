// SPDX-License-Identifier: MIT
//
// Tiles of products of integers with products of matrices: two rows and two outputs, eight inputs at a time.
#pragma once

#include <cstdint>
#include <neon_dot_tile.hpp>
#include <type_traits>

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 16;

/// Sixteen registers of sums, or eight in lower tiles, so that 32 inputs' weights of a quad, or sixteen of two, fit
/// beside them.
template <DataType rows>
inline constexpr int tile_height = rows == DataType::int16 ? 8 : 16;
/// As many queries as attention scores together.
inline constexpr int query_tile_height = 12;
template <DataType rows>
constexpr int tile_quads(int height) noexcept {
  return height == 1 ? 4 : height * number_planes<rows> > 8 ? 1 : 2;
}

/// Sixteen numbers of a row and of the next one, as a tile takes them: eight of both, then the eight after them.
[[gnu::always_inline]] inline TwoRegisters joined_rows(int8x16_t even, int8x16_t odd) noexcept {
  const int64x2_t first = vreinterpretq_s64_s8(even);
  const int64x2_t second = vreinterpretq_s64_s8(odd);
  return {vreinterpretq_s8_s64(vzip1q_s64(first, second)), vreinterpretq_s8_s64(vzip2q_s64(first, second))};
}

/// The same, stored where a pointer is, which moves on.
[[gnu::always_inline]] inline void store_joined(int8x16_t even, int8x16_t odd, std::int8_t*& to) noexcept {
  register int8x16_t first asm("v0") = even;
  register int8x16_t second asm("v1") = odd;
  asm volatile("st2 {%1.2d, %2.2d}, [%0], #32" : "+r"(to) : "w"(first), "w"(second) : "memory");
}

template <DataType weights, DataType rows, int Height, int Quads>
struct MatrixTile {
  static constexpr std::size_t step = inputs_of_step<Quads>;
  static constexpr int planes = number_planes<rows>;
  static constexpr int pairs = Height / 2;
  int32x4_t sums[pairs][Quads * 2][planes]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers_from<rows, Height>(numbers, first);
  }

  /// Eight weights of two outputs each.
  static WeightQuad load_weights(const std::byte* w, std::size_t k) noexcept {
    const WeightQuad quad = load_quad<weights>(w, k);
    const int32x4_t first = vreinterpretq_s32_s8(quad.first);
    const int32x4_t second = vreinterpretq_s32_s8(quad.second);
    return {vreinterpretq_s8_s32(vzip1q_s32(first, second)), vreinterpretq_s8_s32(vzip2q_s32(first, second))};
  }

  /// The same, stored: a store of pairs joins them as it goes.
  static void store_weights(const std::byte* w, std::size_t k, std::int8_t* to) noexcept {
    const WeightQuad quad = load_quad<weights>(w, k);
    register int8x16_t first asm("v0") = quad.first;
    register int8x16_t second asm("v1") = quad.second;
    asm volatile("st2 {%1.4s, %2.4s}, [%0]" ::"r"(to), "w"(first), "w"(second) : "memory");
  }

  /// Eight inputs of a row and of the next one.
  [[gnu::always_inline]] void add_eight(const WeightQuad (&w)[Quads], int8x16_t numbers, int pair, int plane) noexcept {
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) {
      int32x4_t& low = sums[pair][q * 2][plane];
      int32x4_t& high = sums[pair][q * 2 + 1][plane];
      low = vmmlaq_s32(low, numbers, w[q].first);
      high = vmmlaq_s32(high, numbers, w[q].second);
    }
  }

  template <std::size_t Count, class Weights>
  [[gnu::always_inline]] void add(const Weights& from, const std::byte* (&x)[Height], std::size_t k) noexcept {
    constexpr int eights = Count / 8;
    WeightQuad w[eights][Quads];
#pragma GCC unroll 16
    for (int e = 0; e < eights; ++e) {
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) w[e][q] = weights_of<MatrixTile>(from, k + static_cast<std::size_t>(e) * 8, q);
    }
#pragma GCC unroll 16
    for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 16
      for (int p = 0; p < planes; ++p) {
        if constexpr (eights == 4) {
          const FourRegisters numbers = load_four(x[r * 2 + p]);
#pragma GCC unroll 4
          for (int e = 0; e < 4; ++e) add_eight(w[e], numbers.parts[e], r, p);
        } else {
          const TwoRegisters numbers = load_two(x[r * 2 + p]);
          add_eight(w[0], numbers.first, r, p);
          if constexpr (eights == 2) add_eight(w[1], numbers.second, r, p);
        }
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    const int64x2_t low = vreinterpretq_s64_s32(join_planes(sums[row / 2][quad * 2]));
    const int64x2_t high = vreinterpretq_s64_s32(join_planes(sums[row / 2][quad * 2 + 1]));
    return vreinterpretq_s32_s64(row % 2 == 0 ? vzip1q_s64(low, high) : vzip2q_s64(low, high));
  }
};

template <DataType weights, DataType rows, int Height, int Quads>
using IntegerTile =
    std::conditional_t<Height == 1, DotTile<weights, rows, Height, Quads>, MatrixTile<weights, rows, Height, Quads>>;

}  // namespace heed::detail
