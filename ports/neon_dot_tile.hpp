// SPDX-License-Identifier: MIT
//
// Tiles of products of integers with dot products of four bytes. Numbers of 16 bits are two planes of bytes: 32 low
// bytes, which have a sign, then the 32 high ones.
#pragma once

#include <arm_neon.h>

#include <cstddef>
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

/// What is loaded after this is not loaded before: gcc would load the numbers of all rows first, and run out of
/// registers.
[[gnu::always_inline]] inline void load_no_earlier() noexcept {
  asm volatile("" ::: "memory");
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

template <DataType weights, DataType rows, int Height, int Quads>
struct DotTile {
  static constexpr std::size_t step = 16;
  static constexpr int planes = number_planes<rows>;
  int32x4_t sums[Height][Quads][planes]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers + std::size_t{first} * planes;
  }

  template <std::size_t Count>
  [[gnu::always_inline]] void add(const std::byte* w, const std::byte* const (&x)[Height], std::size_t k) noexcept {
    constexpr int eights = Count / 8;
    WeightQuad quads[eights][Quads];
#pragma GCC unroll 16
    for (int e = 0; e < eights; ++e) {
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) quads[e][q] = load_quad<weights>(w + q * 16, k + static_cast<std::size_t>(e) * 8);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      if (Height == 8 && r == 4) load_no_earlier();
#pragma GCC unroll 16
      for (int p = 0; p < planes; ++p) {
        const int8x16_t numbers = load_numbers<rows>(x[r], k, p);
#pragma GCC unroll 16
        for (int q = 0; q < Quads; ++q) {
          int32x4_t& sum = sums[r][q][p];
          sum = vdotq_laneq_s32(sum, quads[0][q].first, numbers, 0);
          sum = vdotq_laneq_s32(sum, quads[0][q].second, numbers, 1);
          if constexpr (eights == 2) {
            sum = vdotq_laneq_s32(sum, quads[1][q].first, numbers, 2);
            sum = vdotq_laneq_s32(sum, quads[1][q].second, numbers, 3);
          }
        }
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return join_planes(sums[row][quad]);
  }
};

}  // namespace heed::detail
