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
  const std::uint32_t padding = (0U - count) % scale_group_size;
  asm volatile(
      "wls lr, %[sixteens], 5f\n"
      "4:\n" HEED_FOUR_BYTES HEED_FOUR_BYTES HEED_FOUR_BYTES HEED_FOUR_BYTES
      "le lr, 4b\n"
      "5:\n"
      "wlstp.32 lr, %[left], 6f\n"
      "1:\n" HEED_FOUR_BYTES
      "letp lr, 1b\n"
      "6:\n"
      // The loop counted whole quads.
      "sub %[to], %[to], %[beyond]\n"
      "vmov.i32 q0, #0\n"
      "wlstp.8 lr, %[padding], 3f\n"
      "2:\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 2b\n"
      "3:\n"
      : [x] "+r"(x), [to] "+l"(to)
      : [sixteens] "r"(count / 16), [left] "r"(count % 16), [factor] "r"(factor), [shift] "r"(12582912.0F),
        [padding] "r"(padding), [beyond] "r"(padding % 4)
      : "memory", "lr", "q0");
}
#undef HEED_FOUR_BYTES

/// Stores 16 `times` numbers of 16 bits, and returns what takes off the bias of the weights. The constant of the
/// rounding comes to 0 in it: eight times 128 times its bits are a multiple of 2^32.
[[gnu::always_inline]] inline std::int32_t store_sixteens(const float* x, float factor, std::uint32_t times,
                                                          std::int32_t bias, std::byte* to) noexcept {
  // clang-format off
#define HEED_EIGHT(even, odd)                 \
  "vld20.32 {q0, q1}, [%[x]]\n"               \
  "vld21.32 {q0, q1}, [%[x]]!\n"              \
  "vmul.f32 q0, q0, %[factor]\n"              \
  "vmul.f32 q1, q1, %[factor]\n"              \
  "vadd.f32 q0, q0, %[shift]\n"               \
  "vadd.f32 q1, q1, %[shift]\n"               \
  "vmladava.s32 %[bias], q0, %q[even_bias]\n" \
  "vstrh.32 q0, [%[to], #" even "]\n"         \
  "vstrh.32 q1, [%[to], #" odd "]\n"
  // clang-format on
  asm volatile("wls lr, %[times], 2f\n"
               "1:\n" HEED_EIGHT("0", "16") HEED_EIGHT("8", "24")
               "add %[to], %[to], #32\n"
               "le lr, 1b\n"
               "2:\n"
               : [x] "+r"(x), [to] "+l"(to), [bias] "+Te"(bias)
               : [times] "r"(times), [factor] "r"(factor), [shift] "r"(12582912.0F), [even_bias] "w"(vdupq_n_s32(-128))
               : "memory", "lr", "q0", "q1");
#undef HEED_EIGHT
  return bias;
}

/// Stores x [inputs] as integers, and zeros after them up to a multiple of 32. A row of zeros has no other bytes than
/// 0.
template <DataType weights, DataType rows>
void store_row(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept {
  // What the constant of the rounding adds to a group's bias.
  constexpr std::uint32_t of_rounding = 0x4B400000U * (weights == DataType::int4_multipliers ? 32U * 8U
                                                       : rows == DataType::int16             ? 16U * 128U
                                                                                             : 0U);
  std::byte* to = row + row_numbers_at;
  while (inputs != 0) {
    const std::uint32_t count = inputs < row_block ? inputs : row_block;
    auto* biases = reinterpret_cast<std::int32_t*>(to + biases_at<rows>(count));
    std::int32_t bias = 0;
    std::uint32_t left = count;
    if constexpr (weights == DataType::int8 && rows == DataType::int8) {
      store_bytes(x, factor, count, to);
      x += count;
      to = reinterpret_cast<std::byte*>(biases + (count + scale_group_size - 1) / scale_group_size);
      inputs -= count;
      continue;
    } else if constexpr (weights == DataType::int8) {
      const std::uint32_t times = count % 16 == 0 ? count / 16 : count / scale_group_size * 2;
      bias = store_sixteens(x, factor, times, bias, to);
      left -= times * 16;
      x += times * 16;
      to += times * 32;
      biases += times / 2;
      if (times % 2 != 0) {
        const uint32x4_t zeros = vdupq_n_u32(0);
        vst1q_u32(reinterpret_cast<std::uint32_t*>(to), zeros);
        vst1q_u32(reinterpret_cast<std::uint32_t*>(to + 16), zeros);
        to += 32;
        ++biases;
      }
      if (times != 0) biases[-1] = bias;
    }
    for (; left != 0; ++biases) {
      // Where weights have no multipliers, all groups so far.
      if (weights != DataType::int8) bias = 0;
      // What is left of weights of int8 is less than a group.
      if (weights != DataType::int8 && left >= scale_group_size) {
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
  asm volatile("" : : : "memory");
}

}  // namespace heed::detail
