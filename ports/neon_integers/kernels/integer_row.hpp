// SPDX-License-Identifier: MIT
//
// How a row of integers lies in memory: bytes in order; numbers of 16 bits as the port's detail/integer_tile.hpp says,
// of every eight inputs the even ones and then the odd ones, or two planes of bytes for each 32 inputs: 32 low bytes,
// which have a sign, and what is left of 256ths, at most 64.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <detail/integer_tile.hpp>
#include <neon_sixteen_floats.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// x * factor rounded to nearest even, within -2^15..2^15, of the next sixteen numbers: the low bits of what an
/// addition leaves.
struct Sixteen {
  int16x8_t low;
  int16x8_t high;
};
template <int Set = 0>
[[gnu::always_inline]] inline Sixteen round_sixteen(const float*& x, float factor) noexcept {
  const float32x4_t shift = vdupq_n_f32(12582912.0F);  // 1.5 * 2^23
  const SixteenFloats all = load_sixteen<Set>(x);
  int16x8_t rounded[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rounded[i] = vreinterpretq_s16_f32(vaddq_f32(vmulq_n_f32(all.fours[i], factor), shift));
  }
  return {vuzpq_s16(rounded[0], rounded[1]).val[0], vuzpq_s16(rounded[2], rounded[3]).val[0]};
}

[[gnu::always_inline]] inline int8x16_t low_bytes(const Sixteen& x) noexcept {
  return vuzpq_s8(vreinterpretq_s8_s16(x.low), vreinterpretq_s8_s16(x.high)).val[0];
}

/// The numbers of 32 inputs.
template <DataType rows>
[[gnu::always_inline]] inline void store_group(const float*& x, float factor, std::int8_t* to) noexcept {
  constexpr std::size_t half = scale_group_size / 2;
#pragma GCC unroll 2
  for (std::size_t i = 0; i < scale_group_size; i += half) {
    const Sixteen numbers = round_sixteen(x, factor);
    if constexpr (rows == DataType::int8) {
      vst1q_s8(to + i, low_bytes(numbers));
    } else if constexpr (short_rows_are_planes) {
      vst1q_s8(to + i, low_bytes(numbers));
      vst1q_s8(to + i + scale_group_size, vcombine_s8(vrshrn_n_s16(numbers.low, 8), vrshrn_n_s16(numbers.high, 8)));
    } else {
      auto* const shorts = reinterpret_cast<std::int16_t*>(to) + i;
      const int16x8x2_t parts = vuzpq_s16(numbers.low, numbers.high);
      vst1q_s16(shorts, vcombine_s16(vget_low_s16(parts.val[0]), vget_low_s16(parts.val[1])));
      vst1q_s16(shorts + half / 2, vcombine_s16(vget_high_s16(parts.val[0]), vget_high_s16(parts.val[1])));
    }
  }
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  auto* to = reinterpret_cast<std::int8_t*>(row + row_numbers_at);
  constexpr std::size_t group_bytes = scale_group_size * (rows == DataType::int8 ? 1 : 2);
  for (; inputs >= scale_group_size; inputs -= scale_group_size, to += group_bytes) {
    store_group<rows>(x, factor, to);
  }
  if (inputs == 0) return;
  float rest[scale_group_size]{};
  for (std::uint32_t i = 0; i < inputs; ++i) rest[i] = x[i];
  x = rest;
  store_group<rows>(x, factor, to);
}

}  // namespace heed::detail
