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

/// The multipliers of a quad.
[[gnu::always_inline]] inline int32x4_t load_multipliers(const std::int8_t* from) noexcept {
  std::int32_t four;
  __builtin_memcpy(&four, from, sizeof four);
  return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)))));
}

}  // namespace heed::detail
