// SPDX-License-Identifier: MIT
//
// Tiles of products of integers with the multiplications that every NEON has: bytes to pairs of bytes, pairs to words.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <neon_integer_weights.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// Whether rows of 16 bits are planes of bytes.
inline constexpr bool short_rows_are_planes = false;

/// Whether weights that several tiles of rows take are staged.
inline constexpr bool stages_weights = false;

#ifdef __aarch64__
[[gnu::always_inline]] inline int16x8_t multiply_high(int8x16_t a, int8x16_t b) noexcept {
  return vmull_high_s8(a, b);
}
[[gnu::always_inline]] inline int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) noexcept {
  return vmlal_high_s8(sum, a, b);
}
[[gnu::always_inline]] inline int16x8_t add_pairs(int16x8_t a, int16x8_t b) noexcept {
  return vpaddq_s16(a, b);
}
[[gnu::always_inline]] inline int32x4_t add_pairs(int32x4_t a, int32x4_t b) noexcept {
  return vpaddq_s32(a, b);
}
#else
[[gnu::always_inline]] inline int16x8_t multiply_high(int8x16_t a, int8x16_t b) noexcept {
  return vmull_s8(vget_high_s8(a), vget_high_s8(b));
}
[[gnu::always_inline]] inline int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) noexcept {
  return vmlal_s8(sum, vget_high_s8(a), vget_high_s8(b));
}
[[gnu::always_inline]] inline int16x8_t add_pairs(int16x8_t a, int16x8_t b) noexcept {
  return vcombine_s16(vpadd_s16(vget_low_s16(a), vget_high_s16(a)), vpadd_s16(vget_low_s16(b), vget_high_s16(b)));
}
[[gnu::always_inline]] inline int32x4_t add_pairs(int32x4_t a, int32x4_t b) noexcept {
  return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
}
#endif

/// Four numbers of a row, as often as a register holds them, and the four after them; the row moves on.
struct ByteInputs {
  int8x16_t first;
  int8x16_t second;
};
[[gnu::always_inline]] inline ByteInputs load_bytes(const std::byte*& x) noexcept {
#ifdef __aarch64__
  // In assembly, because compilers would add to each pointer apart.
  register int8x16_t first asm("v0");
  register int8x16_t second asm("v1");
  asm volatile("ld2r {%0.4s, %1.4s}, [%2], #8" : "=w"(first), "=w"(second), "+r"(x)::"memory");
  return {first, second};
#else
  // A register for both halves.
  const int32x2x2_t both = vld2_dup_s32(reinterpret_cast<const std::int32_t*>(x));
  x += 8;
  const int8x8_t first = vreinterpret_s8_s32(both.val[0]);
  const int8x8_t second = vreinterpret_s8_s32(both.val[1]);
  return {vcombine_s8(first, first), vcombine_s8(second, second)};
#endif
}

#ifdef __aarch64__
/// The same of eight numbers more.
struct SixteenBytes {
  ByteInputs parts[2];
};
[[gnu::always_inline]] inline SixteenBytes load_sixteen_bytes(const std::byte*& x) noexcept {
  register int8x16_t part0 asm("v0");
  register int8x16_t part1 asm("v1");
  register int8x16_t part2 asm("v2");
  register int8x16_t part3 asm("v3");
  asm volatile("ld4r {%0.4s, %1.4s, %2.4s, %3.4s}, [%4], #16"
               : "=w"(part0), "=w"(part1), "=w"(part2), "=w"(part3), "+r"(x)::"memory");
  return {{{part0, part1}, {part2, part3}}};
}
#endif

/// Eight numbers of a row as pairs, each as often as a register holds it: inputs 0 and 2, 4 and 6, 1 and 3, 5 and 7;
/// the row moves on.
#ifdef __aarch64__
using ShortPairs = int16x8_t;
[[gnu::always_inline]] inline int32x4_t add_low(int32x4_t sum, int16x8_t w, ShortPairs x) noexcept {
  return vmlal_s16(sum, vget_low_s16(w), vget_low_s16(x));
}
[[gnu::always_inline]] inline int32x4_t add_high(int32x4_t sum, int16x8_t w, ShortPairs x) noexcept {
  return vmlal_high_s16(sum, w, x);
}
#else
using ShortPairs = int16x4_t;
[[gnu::always_inline]] inline int32x4_t add_low(int32x4_t sum, int16x8_t w, ShortPairs x) noexcept {
  return vmlal_s16(sum, vget_low_s16(w), x);
}
[[gnu::always_inline]] inline int32x4_t add_high(int32x4_t sum, int16x8_t w, ShortPairs x) noexcept {
  return vmlal_s16(sum, vget_high_s16(w), x);
}
#endif
struct ShortInputs {
  ShortPairs even[2];
  ShortPairs odd[2];
};
[[gnu::always_inline]] inline ShortInputs load_shorts(const std::byte*& x) noexcept {
#ifdef __aarch64__
  register int16x8_t even0 asm("v0");
  register int16x8_t even1 asm("v1");
  register int16x8_t odd0 asm("v2");
  register int16x8_t odd1 asm("v3");
  asm volatile("ld4r {%0.4s, %1.4s, %2.4s, %3.4s}, [%4], #16"
               : "=w"(even0), "=w"(even1), "=w"(odd0), "=w"(odd1), "+r"(x)::"memory");
  return {{even0, even1}, {odd0, odd1}};
#else
  const int32x2x4_t all = vld4_dup_s32(reinterpret_cast<const std::int32_t*>(x));
  x += 16;
  return {{vreinterpret_s16_s32(all.val[0]), vreinterpret_s16_s32(all.val[1])},
          {vreinterpret_s16_s32(all.val[2]), vreinterpret_s16_s32(all.val[3])}};
#endif
}

/// Rows of bytes, weights of bytes: two products of at most 127 * 127 fit in 16 bits. The lanes of a sum are two of an
/// output and two of the next.
template <DataType weights, DataType rows, int Height, int Quads>
struct IntegerTile {
  static constexpr std::size_t step = 16;
  int32x4_t pairs[Height][Quads][2]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept { return numbers + first; }

  template <std::size_t Count>
  [[gnu::always_inline]] void add(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
#ifdef __aarch64__
    if constexpr (Count == 16 && Quads == 2) return add_sixteen(panel, x, k);
#endif
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Count; i += 8) add_eight(panel, x, k + i);
  }

  /// Eight numbers of a row.
  [[gnu::always_inline]] void add_row(const WeightQuad (&w)[Quads], const ByteInputs& numbers, int r) noexcept {
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) {
      const int16x8_t low = vmull_s8(vget_low_s8(w[q].first), vget_low_s8(numbers.first));
      const int16x8_t high = multiply_high(w[q].first, numbers.first);
      pairs[r][q][0] =
          vpadalq_s16(pairs[r][q][0], vmlal_s8(low, vget_low_s8(w[q].second), vget_low_s8(numbers.second)));
      pairs[r][q][1] = vpadalq_s16(pairs[r][q][1], add_high(high, w[q].second, numbers.second));
    }
  }

  [[gnu::always_inline]] void add_eight(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    WeightQuad w[Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) w[q] = load_quad<weights>(panel + q * 16, k);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) add_row(w, load_bytes(x[r]), r);
  }

#ifdef __aarch64__
  [[gnu::always_inline]] void add_sixteen(const std::byte* panel, const std::byte* (&x)[Height],
                                          std::size_t k) noexcept {
    WeightQuad w[2][Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) {
      w[0][q] = load_quad<weights>(panel + q * 16, k);
      w[1][q] = load_quad<weights>(panel + q * 16, k + 8);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      const SixteenBytes numbers = load_sixteen_bytes(x[r]);
      add_row(w[0], numbers.parts[0], r);
      add_row(w[1], numbers.parts[1], r);
    }
  }
#endif

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return add_pairs(pairs[row][quad][0], pairs[row][quad][1]);
  }
};

/// Rows of bytes, weights of four bits: a group's 32 products of at most 8 * 127 fit in 16 bits.
template <int Height, int Quads>
struct IntegerTile<DataType::int4_multipliers, DataType::int8, Height, Quads> {
  static constexpr std::size_t step = 8;
  int16x8_t fours[Height][Quads][2]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept { return numbers + first; }

  template <std::size_t>
  [[gnu::always_inline]] void add(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    WeightQuad w[Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) w[q] = load_quad<DataType::int4_multipliers>(panel + q * 16, k);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      const ByteInputs numbers = load_bytes(x[r]);
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) {
        int16x8_t& low = fours[r][q][0];
        int16x8_t& high = fours[r][q][1];
        low = vmlal_s8(low, vget_low_s8(w[q].first), vget_low_s8(numbers.first));
        high = add_high(high, w[q].first, numbers.first);
        low = vmlal_s8(low, vget_low_s8(w[q].second), vget_low_s8(numbers.second));
        high = add_high(high, w[q].second, numbers.second);
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return vpaddlq_s16(add_pairs(fours[row][quad][0], fours[row][quad][1]));
  }
};

/// Rows of pairs of bytes: the lanes of a sum are two of an output and two of the next.
template <DataType weights, int Height, int Quads>
struct IntegerTile<weights, DataType::int16, Height, Quads> {
  static constexpr std::size_t step = 8;
  int32x4_t pairs[Height][Quads][2]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers + std::size_t{first} * 2;
  }

  template <std::size_t>
  [[gnu::always_inline]] void add(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    ShortQuad w[Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) w[q] = load_short_quad<weights>(panel + q * 16, k);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      const ShortInputs numbers = load_shorts(x[r]);
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) {
        int32x4_t& low = pairs[r][q][0];
        int32x4_t& high = pairs[r][q][1];
#pragma GCC unroll 16
        for (int half = 0; half < 2; ++half) {
          low = add_low(low, w[q].even[half], numbers.even[half]);
          high = add_high(high, w[q].even[half], numbers.even[half]);
          low = add_low(low, w[q].odd[half], numbers.odd[half]);
          high = add_high(high, w[q].odd[half], numbers.odd[half]);
        }
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    return add_pairs(pairs[row][quad][0], pairs[row][quad][1]);
  }
};

}  // namespace heed::detail
