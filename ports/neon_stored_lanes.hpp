// SPDX-License-Identifier: MIT
//
// Stored integers and bfloat16 numbers into lanes: what the 64-bit and the 32-bit Arm port share.
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <neon_lanes.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// Eight signed bytes.
[[gnu::always_inline]] inline port::Registers<port::Register, 2> from_bytes(int8x8_t bytes) noexcept {
  const int16x8_t wide = vmovl_s8(bytes);
  return {{port::Register(vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide))))},
          {port::Register(vcvtq_f32_s32(vmovl_s16(vget_high_s16(wide))))}};
}

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  return {from_bytes(vld1_s8(from)), from_bytes(vld1_s8(from + 8))};
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  const uint8x8_t bytes = vld1_u8(from);
  const int8x8_t eight = vdup_n_s8(8);
  return {from_bytes(vsub_s8(vreinterpret_s8_u8(vand_u8(bytes, vdup_n_u8(0x0F))), eight)),
          from_bytes(vsub_s8(vreinterpret_s8_u8(vshr_n_u8(bytes, 4)), eight))};
}

/// Four numbers of bfloat16.
[[gnu::always_inline]] inline port::Register load_four_bfloat16(const std::uint16_t* from) noexcept {
  return port::Register(vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(vld1_u16(from)), 16)));
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  return {{{load_four_bfloat16(from)}, {load_four_bfloat16(from + 4)}},
          {{load_four_bfloat16(from + 8)}, {load_four_bfloat16(from + 12)}}};
}

}  // namespace heed_own_code
}  // namespace heed::detail
