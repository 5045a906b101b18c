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

#ifdef __aarch64__
/// Two times sixteen numbers as bytes.
struct RoundedBytes {
  int8x16_t first;
  int8x16_t second;
};

/// Of sixteen floats, that are four registers, every fourth byte.
inline constexpr std::uint8_t low_bytes_of_floats[16] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60};

/// x * factor rounded to nearest even, within -127..127, of the sixteen numbers where each of two pointers is, which
/// move on by `step` bytes. In assembly, because one lookup takes four registers in a row; the first sixteen bytes are
/// in v0 and the second in v1.
[[gnu::always_inline]] inline RoundedBytes round_bytes(const float*& a, float a_factor, const float*& b, float b_factor,
                                                       std::ptrdiff_t step) noexcept {
  register int8x16_t first asm("v0");
  register int8x16_t second asm("v1");
  asm volatile(
      "ld1 {v0.4s-v3.4s}, [%[a]], %[step]\n"
      "ld1 {v4.4s-v7.4s}, [%[b]], %[step]\n"
      "fmul v0.4s, v0.4s, %[a_factor].4s\n"
      "fmul v1.4s, v1.4s, %[a_factor].4s\n"
      "fmul v2.4s, v2.4s, %[a_factor].4s\n"
      "fmul v3.4s, v3.4s, %[a_factor].4s\n"
      "fmul v4.4s, v4.4s, %[b_factor].4s\n"
      "fmul v5.4s, v5.4s, %[b_factor].4s\n"
      "fmul v6.4s, v6.4s, %[b_factor].4s\n"
      "fmul v7.4s, v7.4s, %[b_factor].4s\n"
      "fadd v0.4s, v0.4s, %[shift].4s\n"
      "fadd v1.4s, v1.4s, %[shift].4s\n"
      "fadd v2.4s, v2.4s, %[shift].4s\n"
      "fadd v3.4s, v3.4s, %[shift].4s\n"
      "fadd v4.4s, v4.4s, %[shift].4s\n"
      "fadd v5.4s, v5.4s, %[shift].4s\n"
      "fadd v6.4s, v6.4s, %[shift].4s\n"
      "fadd v7.4s, v7.4s, %[shift].4s\n"
      "tbl v0.16b, {v0.16b-v3.16b}, %[low].16b\n"
      "tbl v1.16b, {v4.16b-v7.16b}, %[low].16b\n"
      : "=&w"(first), "=&w"(second), [a] "+r"(a), [b] "+r"(b)
      : [a_factor] "w"(vdupq_n_f32(a_factor)), [b_factor] "w"(vdupq_n_f32(b_factor)),
        [shift] "w"(vdupq_n_f32(12582912.0F)), [low] "w"(vld1q_u8(low_bytes_of_floats)), [step] "r"(step)
      : "memory", "v2", "v3", "v4", "v5", "v6", "v7");
  return {first, second};
}
#endif

/// The numbers of 32 inputs.
template <DataType rows>
[[gnu::always_inline]] inline void store_group(const float*& x, float factor, std::int8_t* to) noexcept {
  constexpr std::size_t half = scale_group_size / 2;
#ifdef __aarch64__
  if constexpr (rows == DataType::int8) {
    const float* second = x + half;
    const RoundedBytes bytes = round_bytes(x, factor, second, factor, scale_group_size * sizeof(float));
    vst1q_s8(to, bytes.first);
    vst1q_s8(to + half, bytes.second);
    return;
  }
#endif
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
