// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes with Helium: loads that widen, and conversions of four at a time.
#pragma once

#include <arm_mve.h>

#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  return {{vcvtq_f32_s32(port::load_widened(from)), vcvtq_f32_s32(port::load_widened<4>(from)),
           vcvtq_f32_s32(port::load_widened<8>(from)), vcvtq_f32_s32(port::load_widened<12>(from))}};
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  const uint32x4_t bytes[2] = {port::load_widened(from), port::load_widened<4>(from)};
  port::f32x16 result;
#pragma GCC unroll 2
  for (int q = 0; q < 2; ++q) {
    const int32x4_t pairs = vreinterpretq_s32_u32(bytes[q]);
    result.quad[q] = vcvtq_f32_s32(vsubq_n_s32(vandq_s32(pairs, vdupq_n_s32(0x0F)), 8));
    result.quad[q + 2] = vcvtq_f32_s32(vsubq_n_s32(vshrq_n_s32(pairs, 4), 8));
  }
  return result;
}

/// Four numbers of IEEE-754 binary16; NaN becomes a quiet NaN. As from_half(), because no float on the way may be
/// subnormal.
[[gnu::always_inline]] inline float32x4_t load_four_halves(const std::uint16_t* from) noexcept {
  const uint32x4_t half = port::load_widened(from);
  const uint32x4_t magnitude = vandq_u32(half, vdupq_n_u32(0x7FFF));
  const uint32x4_t sign = vshlq_n_u32(vandq_u32(half, vdupq_n_u32(0x8000)), 16);
  const uint32x4_t normal = vaddq_n_u32(vshlq_n_u32(magnitude, 13), 112U << 23);
  const uint32x4_t subnormal = vreinterpretq_u32_f32(vmulq_n_f32(vcvtq_f32_u32(magnitude), 0x1p-24F));
  const uint32x4_t infinite = vaddq_n_u32(normal, 112U << 23);
  uint32x4_t bits = vpselq_u32(normal, subnormal, vcmphiq_n_u32(magnitude, 0x3FF));
  bits = vpselq_u32(infinite, bits, vcmphiq_n_u32(magnitude, 0x7BFF));
  bits = vpselq_u32(vorrq_u32(bits, vdupq_n_u32(0x00400000)), bits, vcmphiq_n_u32(magnitude, 0x7C00));
  return vreinterpretq_f32_u32(vorrq_u32(sign, bits));
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes a quiet NaN.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  return {
      {load_four_halves(from), load_four_halves(from + 4), load_four_halves(from + 8), load_four_halves(from + 12)}};
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  const auto floats = [](uint32x4_t upper) noexcept { return vreinterpretq_f32_u32(vshlq_n_u32(upper, 16)); };
  return {{floats(port::load_widened(from)), floats(port::load_widened<8>(from)), floats(port::load_widened<16>(from)),
           floats(port::load_widened<24>(from))}};
}

}  // namespace heed::detail
