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

#ifdef __aarch64__
[[gnu::always_inline]] inline int16x8_t multiply_high(int8x16_t a, int8x16_t b) noexcept {
  return vmull_high_s8(a, b);
}
[[gnu::always_inline]] inline int16x8_t add_high(int16x8_t sum, int8x16_t a, int8x16_t b) noexcept {
  return vmlal_high_s8(sum, a, b);
}
[[gnu::always_inline]] inline int32x4_t add_high(int32x4_t sum, int16x8_t a, int16x8_t b) noexcept {
  return vmlal_high_s16(sum, a, b);
}
[[gnu::always_inline]] inline int16x8_t widen_high(int8x16_t a) noexcept {
  return vmovl_high_s8(a);
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
[[gnu::always_inline]] inline int32x4_t add_high(int32x4_t sum, int16x8_t a, int16x8_t b) noexcept {
  return vmlal_s16(sum, vget_high_s16(a), vget_high_s16(b));
}
[[gnu::always_inline]] inline int16x8_t widen_high(int8x16_t a) noexcept {
  return vmovl_s8(vget_high_s8(a));
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

struct ShortInputs {
  int16x8_t first;
  int16x8_t second;
};
[[gnu::always_inline]] inline ShortInputs load_shorts(const std::byte*& x) noexcept {
#ifdef __aarch64__
  register int16x8_t first asm("v0");
  register int16x8_t second asm("v1");
  asm volatile("ld2r {%0.2d, %1.2d}, [%2], #16" : "=w"(first), "=w"(second), "+r"(x)::"memory");
  return {first, second};
#else
  const int16x8_t both = vld1q_s16(reinterpret_cast<const std::int16_t*>(x));
  x += 16;
  return {vcombine_s16(vget_low_s16(both), vget_low_s16(both)), vcombine_s16(vget_high_s16(both), vget_high_s16(both))};
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
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Count; i += 8) add_eight(panel, x, k + i);
  }

  [[gnu::always_inline]] void add_eight(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    WeightQuad w[Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) w[q] = load_quad<weights>(panel + q * 16, k);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      const ByteInputs numbers = load_bytes(x[r]);
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) {
        const int16x8_t low = vmull_s8(vget_low_s8(w[q].first), vget_low_s8(numbers.first));
        const int16x8_t high = multiply_high(w[q].first, numbers.first);
        pairs[r][q][0] =
            vpadalq_s16(pairs[r][q][0], vmlal_s8(low, vget_low_s8(w[q].second), vget_low_s8(numbers.second)));
        pairs[r][q][1] = vpadalq_s16(pairs[r][q][1], add_high(high, w[q].second, numbers.second));
      }
    }
  }

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

/// Rows of pairs of bytes: the lanes of a sum are four of one output.
template <DataType weights, int Height, int Quads>
struct IntegerTile<weights, DataType::int16, Height, Quads> {
  static constexpr std::size_t step = 8;
  int32x4_t fours[Height][Quads][4]{};

  static const std::byte* from(const std::byte* numbers, std::uint32_t first) noexcept {
    return numbers + std::size_t{first} * 2;
  }

  [[gnu::always_inline]] static void add_four(int8x16_t w, int16x8_t x, int32x4_t (&sums)[4]) noexcept {
    const int16x8_t low = vmovl_s8(vget_low_s8(w));
    const int16x8_t high = widen_high(w);
    sums[0] = vmlal_s16(sums[0], vget_low_s16(low), vget_low_s16(x));
    sums[1] = add_high(sums[1], low, x);
    sums[2] = vmlal_s16(sums[2], vget_low_s16(high), vget_low_s16(x));
    sums[3] = add_high(sums[3], high, x);
  }

  template <std::size_t>
  [[gnu::always_inline]] void add(const std::byte* panel, const std::byte* (&x)[Height], std::size_t k) noexcept {
    WeightQuad w[Quads];
#pragma GCC unroll 16
    for (int q = 0; q < Quads; ++q) w[q] = load_quad<weights>(panel + q * 16, k);
#pragma GCC unroll 16
    for (int r = 0; r < Height; ++r) {
      const ShortInputs numbers = load_shorts(x[r]);
#pragma GCC unroll 16
      for (int q = 0; q < Quads; ++q) {
        add_four(w[q].first, numbers.first, fours[r][q]);
        add_four(w[q].second, numbers.second, fours[r][q]);
      }
    }
  }

  [[nodiscard]] int32x4_t sum(int row, int quad) const noexcept {
    const int32x4_t(&of)[4] = fours[row][quad];
    return add_pairs(add_pairs(of[0], of[1]), add_pairs(of[2], of[3]));
  }
};

}  // namespace heed::detail
