// SPDX-License-Identifier: MIT
//
// Weights of products of integers in NEON's registers.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "heed/format.hpp"

namespace heed::detail {

/// Outputs of a panel whose weights fill a register.
inline constexpr int quad_width = 4;
inline constexpr int panel_quads = 4;

/// Eight weights of four outputs: inputs 0..3 of all, then inputs 4..7.
struct WeightQuad {
  int8x16_t first;
  int8x16_t second;
};

/// The weights that inputs k..k+7, k a multiple of 8, have in a quad, which w is a panel from.
template <DataType weights>
[[gnu::always_inline]] inline WeightQuad load_quad(const std::byte* w, std::size_t k) noexcept {
  if constexpr (weights == DataType::int4_multipliers) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(w) + k * 8;
    const uint8x16_t pairs = vld1q_u8(from);
    const int8x16_t most = vdupq_n_s8(8);
    return {vsubq_s8(vreinterpretq_s8_u8(vandq_u8(pairs, vdupq_n_u8(15))), most),
            vsubq_s8(vreinterpretq_s8_u8(vshrq_n_u8(pairs, 4)), most)};
  } else {
    const auto* const from = reinterpret_cast<const std::int8_t*>(w) + k * 16;
    const int8x16_t sign = vreinterpretq_s8_u16(vdupq_n_u16(0x80));
    return {veorq_s8(vld1q_s8(from), sign), veorq_s8(vld1q_s8(from + 64), sign)};
  }
}

/// Eight weights of four outputs in 16 bits: inputs 0 and 2 of all, and 4 and 6; inputs 1 and 3, and 5 and 7.
struct ShortQuad {
  int16x8_t even[2];
  int16x8_t odd[2];
};

/// The low bytes, without a sign. On 64-bit Arm with what keeps its operand: gcc would copy it first.
[[gnu::always_inline]] inline int16x8_t low_bytes_of(int8x16_t pairs) noexcept {
#ifdef __aarch64__
  return vreinterpretq_s16_s8(vtrn1q_s8(pairs, vdupq_n_s8(0)));
#else
  return vandq_s16(vreinterpretq_s16_s8(pairs), vdupq_n_s16(0xFF));
#endif
}

/// The same weights as load_quad() brings.
template <DataType weights>
[[gnu::always_inline]] inline ShortQuad load_short_quad(const std::byte* w, std::size_t k) noexcept {
  if constexpr (weights == DataType::int4_multipliers) {
    const uint16x8_t all = vreinterpretq_u16_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(w) + k * 8));
    const uint16x8_t low = vdupq_n_u16(15);
    const int16x8_t most = vdupq_n_s16(8);
    return {{vsubq_s16(vreinterpretq_s16_u16(vandq_u16(all, low)), most),
             vsubq_s16(vreinterpretq_s16_u16(vandq_u16(vshrq_n_u16(all, 4), low)), most)},
            {vsubq_s16(vreinterpretq_s16_u16(vandq_u16(vshrq_n_u16(all, 8), low)), most),
             vsubq_s16(vreinterpretq_s16_u16(vshrq_n_u16(all, 12)), most)}};
  } else {
    const auto* const from = reinterpret_cast<const std::int8_t*>(w) + k * 16;
    const int8x16_t first = vld1q_s8(from);
    const int8x16_t second = vld1q_s8(from + 64);
    const int16x8_t added = vdupq_n_s16(128);
    return {{vsubq_s16(low_bytes_of(first), added), vsubq_s16(low_bytes_of(second), added)},
            {vshrq_n_s16(vreinterpretq_s16_s8(first), 8), vshrq_n_s16(vreinterpretq_s16_s8(second), 8)}};
  }
}

/// The multipliers of a quad.
[[gnu::always_inline]] inline int32x4_t load_multipliers(const std::int8_t* from) noexcept {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)))));
}

}  // namespace heed::detail
