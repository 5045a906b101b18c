// SPDX-License-Identifier: MIT
//
// A row of integers in the order in which vectors of weights come, block after block; after the numbers of a block,
// four bytes for each group of 32 inputs: what takes off the bias of the weights.
//   int8 rows, int8 weights    as they are
//   int8 rows, int4 weights    of 32 inputs those of the low nibbles, then those of the high ones
//   int16 rows, int8 weights   of 16 inputs the even ones, then the odd ones
//   int16 rows, int4 weights   of 32 inputs those of the low nibbles, even and odd ones, then those of the high ones
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "heed/format.hpp"

namespace heed::detail {

/// The greatest magnitude of a row's integers.
template <DataType rows>
inline constexpr float most_of_rows = rows == DataType::int8 ? 127.0F : 16383.0F;

/// The scale of a row, before its numbers.
inline constexpr std::size_t row_numbers_at = 16;

/// Whether there is a loop for every case that pays, or one for all of them.
#ifdef __OPTIMIZE_SIZE__
inline constexpr bool has_loops_of_many_rows = false;
#else
inline constexpr bool has_loops_of_many_rows = true;
#endif

/// Inputs of a block, as products have them.
inline constexpr std::uint32_t row_block = 1024;

template <DataType rows>
inline constexpr std::uint32_t number_bytes = rows == DataType::int8 ? 1 : 2;

/// Bytes of a whole block.
template <DataType rows>
inline constexpr std::size_t row_block_bytes = row_block* number_bytes<rows> + row_block / scale_group_size * 4;

/// Where the four bytes of a block's groups begin.
template <DataType rows>
[[nodiscard]] constexpr std::size_t biases_at(std::uint32_t inputs) noexcept {
  return (inputs + scale_group_size - 1) / scale_group_size * scale_group_size * number_bytes<rows>;
}

/// Where quad `n` of a group lies.
template <DataType weights, DataType rows>
[[nodiscard]] constexpr std::uint32_t quad_at(std::uint32_t n) noexcept {
  if (weights == DataType::int4_multipliers) return (n % 2 * 16) * number_bytes<rows> + n / 2 * 4;
  return rows == DataType::int8 ? n * 4 : n / 4 * 32 + n % 4 * 4;
}

template <DataType weights, DataType rows>
[[gnu::always_inline]] inline void store_quad_of_row(float32x4_t x, float factor, std::uint32_t n, std::byte* group,
                                                     std::int32_t& bias) noexcept {
  // 1.5 * 2^23: the low bits of what the addition leaves are x * factor, rounded to nearest even.
  const int32x4_t number = vreinterpretq_s32_f32(vaddq_n_f32(vmulq_n_f32(x, factor), 12582912.0F));
  std::byte* const to = group + quad_at<weights, rows>(n);
  if constexpr (rows == DataType::int8) {
    vstrbq_s32(reinterpret_cast<std::int8_t*>(to), number);
  } else {
    constexpr std::uint32_t places[4] = {0, 16, 2, 18};
    vstrhq_scatter_offset_s32(reinterpret_cast<std::int16_t*>(to), vldrwq_u32(places), number);
  }
  if constexpr (weights == DataType::int4_multipliers) {
    bias = vmladavaq_s32(bias, number, vdupq_n_s32(-8));
  } else if constexpr (rows == DataType::int16) {
    constexpr std::int32_t even[4] = {-128, 0, -128, 0};
    bias = vmladavaq_s32(bias, number, vldrwq_s32(even));
  }
}

#define HEED_FOUR_BYTES          \
  "vldrw.u32 q0, [%[x]], #16\n"  \
  "vmul.f32 q0, q0, %[factor]\n" \
  "vadd.f32 q0, q0, %[shift]\n"  \
  "vstrb.32 q0, [%[to]], #4\n"

/// Stores `count` numbers of 8 bits, and zeros after them up to a multiple of 32.
[[gnu::always_inline]] inline void store_bytes(const float* x, float factor, std::uint32_t count,
                                               std::byte* to) noexcept {
  asm volatile(
      "wls lr, %[sixteens], 2f\n"
      "1:\n" HEED_FOUR_BYTES HEED_FOUR_BYTES HEED_FOUR_BYTES HEED_FOUR_BYTES
      "le lr, 1b\n"
      "2:\n"
      : [x] "+r"(x), [to] "+l"(to)
      : [sixteens] "r"(count / 16), [factor] "r"(factor), [shift] "r"(12582912.0F)
      : "memory", "lr", "q0");
  if (count % scale_group_size == 0) return;
  const std::uint32_t padding = (0U - count) % scale_group_size;
  asm volatile(
      "wlstp.32 lr, %[left], 2f\n"
      "1:\n" HEED_FOUR_BYTES
      "letp lr, 1b\n"
      "2:\n"
      // The loop counted whole quads.
      "sub %[to], %[to], %[beyond]\n"
      "vmov.i32 q0, #0\n"
      "wlstp.8 lr, %[padding], 4f\n"
      "3:\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 3b\n"
      "4:\n"
      : [x] "+r"(x), [to] "+l"(to)
      : [left] "r"(count % 16), [factor] "r"(factor), [shift] "r"(12582912.0F), [padding] "r"(padding),
        [beyond] "r"(padding % 4)
      : "memory", "lr", "q0");
}
#undef HEED_FOUR_BYTES

/// Stores 16 `times` numbers of 16 bits, and returns what takes off the bias of the weights. The numbers are the low
/// halves of what the rounding leaves.
[[gnu::always_inline]] inline std::int32_t store_sixteens(const float* x, float factor, std::uint32_t times,
                                                          std::byte* to) noexcept {
  std::int32_t even = 0;
  // Each fourth number in a vector: the even ones are those of the first and of the third, one after the other.
  asm volatile(
      "wls lr, %[times], 2f\n"
      "1:\n"
      "vld40.32 {q0, q1, q2, q3}, [%[x]]\n"
      "vld41.32 {q0, q1, q2, q3}, [%[x]]\n"
      "vld42.32 {q0, q1, q2, q3}, [%[x]]\n"
      "vld43.32 {q0, q1, q2, q3}, [%[x]]!\n"
      "vmul.f32 q0, q0, %[factor]\n"
      "vmul.f32 q1, q1, %[factor]\n"
      "vmul.f32 q2, q2, %[factor]\n"
      "vmul.f32 q3, q3, %[factor]\n"
      "vadd.f32 q0, q0, %[shift]\n"
      "vadd.f32 q1, q1, %[shift]\n"
      "vadd.f32 q2, q2, %[shift]\n"
      "vadd.f32 q3, q3, %[shift]\n"
      "vmovnt.i32 q0, q2\n"
      "vmovnt.i32 q1, q3\n"
      "vaddva.s16 %[even], q0\n"
      "vstrh.16 q0, [%[to]], #16\n"
      "vstrh.16 q1, [%[to]], #16\n"
      "le lr, 1b\n"
      "2:\n"
      : [x] "+r"(x), [to] "+r"(to), [even] "+Te"(even)
      : [times] "r"(times), [factor] "r"(factor), [shift] "r"(12582912.0F)
      : "memory", "lr", "q0", "q1", "q2", "q3");
  return even * -128;
}

/// Stores the last `count` numbers, fewer than sixteen, and zeros up to those; returns likewise.
[[nodiscard, gnu::noinline]] inline std::int32_t store_last_sixteen(const float* x, float factor, std::uint32_t count,
                                                                    std::int32_t bias, std::byte* to) noexcept {
  for (std::uint32_t n = 0; n < 4; ++n) {
    const mve_pred16_t there = vctp32q(count);
    store_quad_of_row<DataType::int8, DataType::int16>(port::load_quad(x + 4 * n, there), factor, n, to, bias);
    count = count < 4 ? 0 : count - 4;
  }
  return bias;
}

/// Stores x [inputs] as integers of 8 bits or 16, and zeros after them up to a multiple of 32 or 16.
template <DataType rows>
[[gnu::always_inline]] inline void store_plain_row(const float* x, float factor, std::uint32_t inputs,
                                                   std::byte* to) noexcept {
  while (inputs != 0) {
    const std::uint32_t count = inputs < row_block ? inputs : row_block;
    if constexpr (rows == DataType::int8) {
      store_bytes(x, factor, count, to);
    } else {
      const std::uint32_t times = count / 16;
      std::int32_t bias = store_sixteens(x, factor, times, to);
      if (count % 16 != 0) bias = store_last_sixteen(x + times * 16, factor, count % 16, bias, to + times * 32);
      // That of all groups so far.
      reinterpret_cast<std::int32_t*>(to + biases_at<rows>(count))[(count - 1) / scale_group_size] = bias;
    }
    x += row_block;
    to += row_block_bytes<rows>;
    inputs -= count;
  }
}

/// Stores x [inputs] as integers whose weights have multipliers, and zeros after them up to a multiple of 32.
template <DataType weights, DataType rows>
[[gnu::always_inline]] inline void store_groups(const float* x, float factor, std::uint32_t inputs,
                                                std::byte* to) noexcept {
  // What the constant of the rounding adds to a group's bias.
  constexpr std::uint32_t of_rounding = 0x4B400000U * (weights == DataType::int4_multipliers ? 32U * 8U
                                                       : rows == DataType::int16             ? 16U * 128U
                                                                                             : 0U);
  while (inputs != 0) {
    const std::uint32_t count = inputs < row_block ? inputs : row_block;
    auto* biases = reinterpret_cast<std::int32_t*>(to + biases_at<rows>(count));
    for (std::uint32_t left = count; left != 0; ++biases) {
      std::int32_t bias = 0;
      if (left >= scale_group_size) {
#pragma GCC unroll 8
        for (std::uint32_t n = 0; n < 8; ++n) {
          store_quad_of_row<weights, rows>(port::load_quad(x + 4 * n), factor, n, to, bias);
        }
        left -= scale_group_size;
      } else {
        for (std::uint32_t n = 0; n < 8; ++n) {
          const mve_pred16_t there = vctp32q(left);
          store_quad_of_row<weights, rows>(port::load_quad(x + 4 * n, there), factor, n, to, bias);
          left = left < 4 ? 0 : left - 4;
        }
      }
      bias = static_cast<std::int32_t>(static_cast<std::uint32_t>(bias) + of_rounding);
      *biases = bias;
      x += scale_group_size;
      to += scale_group_size * number_bytes<rows>;
    }
    to = reinterpret_cast<std::byte*>(biases);
    inputs -= count;
  }
}

/// Stores x [inputs] as integers; a row of zeros has no other bytes than 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  if constexpr (weights == DataType::int8) {
    store_plain_row<rows>(x, factor, inputs, row + row_numbers_at);
  } else {
    store_groups<weights, rows>(x, factor, inputs, row + row_numbers_at);
  }
  asm volatile("" : : : "memory");
}

}  // namespace heed::detail
