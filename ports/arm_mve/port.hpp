// SPDX-License-Identifier: MIT
//
// Cortex-M with the vector extension Helium (M55, M85): eight registers of four floats. They flush subnormal numbers to
// 0, whatever FPSCR says, and their NaN is always the default one, which is positive.
#pragma once

#if !defined(__ARM_FEATURE_MVE) || (__ARM_FEATURE_MVE & 2) == 0
#error "the arm_mve port needs Helium with floating point: -mcpu=cortex-m55 -mfloat-abi=hard, or -mcpu=cortex-m85"
#endif

#include <arm_mve.h>

#include <cstdint>
#include <no_prefetch.hpp>
#include <single_operations.hpp>

#include "detail/quad_memory.hpp"

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_mve";
inline constexpr int lanes = 16;

/// Rows that a panel takes at a call: six sums at a time stay in registers, and what leads to them is done once for
/// all.
inline constexpr int tile_rows = 96;
/// A single row takes its panels one after the other.
constexpr int tile_panels(int rows) noexcept {
  return rows == 1 ? 4 : 1;
}

/// Lane l is lane l % 4 of quad l / 4.
struct f32x16 {
  float32x4_t quad[4];
};

namespace detail {

/// Which lanes of a quad are among the first `count`.
[[gnu::always_inline]] inline mve_pred16_t first_lanes(int count, int quad) noexcept {
  const int left = count - 4 * quad;
  return vctp32q(static_cast<std::uint32_t>(left > 0 ? left : 0));
}

}  // namespace detail

[[gnu::always_inline]] inline f32x16 set(float value) noexcept {
  const float32x4_t quad = vdupq_n_f32(value);
  return {{quad, quad, quad, quad}};
}

[[gnu::always_inline]] inline f32x16 load(const float* from) noexcept {
  return {{load_quad(from), load_quad(from + 4), load_quad(from + 8), load_quad(from + 12)}};
}

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read. Out of line,
/// because its masks would be made where no lane is missing, too.
[[gnu::noinline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = load_quad(from + 4 * q, detail::first_lanes(count, q));
  return result;
}

[[gnu::always_inline]] inline void store(float* to, const f32x16& v) noexcept {
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) store_quad(to + 4 * q, v.quad[q]);
}

/// Writes the first `count` lanes and nothing beyond them.
[[gnu::noinline]] inline void store_partial(float* to, f32x16 v, int count) noexcept {
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) store_quad(to + 4 * q, v.quad[q], detail::first_lanes(count, q));
}

[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = vaddq_f32(a.quad[q], b.quad[q]);
  return result;
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = vsubq_f32(a.quad[q], b.quad[q]);
  return result;
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = vmulq_f32(a.quad[q], b.quad[q]);
  return result;
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = vfmaq_f32(c.quad[q], a.quad[q], b.quad[q]);
  return result;
}

/// The greater of two numbers; NaN if b is NaN. The machine's own maximum prefers the number.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    result.quad[q] = vpselq_f32(a.quad[q], b.quad[q], vcmpgtq_f32(a.quad[q], b.quad[q]));
  }
  return result;
}

/// The smaller of two numbers; NaN if b is NaN. The machine's "less" is "not greater or equal", true of NaN; its
/// "greater" is not.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    result.quad[q] = vpselq_f32(a.quad[q], b.quad[q], vcmpgtq_f32(b.quad[q], a.quad[q]));
  }
  return result;
}

/// Helium has no division: each lane on its own.
inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  float dividend[lanes];
  float divisor[lanes];
  store(dividend, a);
  store(divisor, b);
  for (int i = 0; i < lanes; ++i) dividend[i] /= divisor[i];
  return load(dividend);
}

/// x where a < b, otherwise y; not less where one is NaN.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    result.quad[q] = vpselq_f32(x.quad[q], y.quad[q], vcmpgtq_f32(b.quad[q], a.quad[q]));
  }
  return result;
}

/// 2^(k - 127) for t = 1.5 * 2^23 + k with an integer k of 1..254, and 0 for k = 0: the low bits of t become the
/// exponent.
[[gnu::always_inline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  f32x16 result;
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    result.quad[q] = vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(t.quad[q]), 23));
  }
  return result;
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
[[gnu::always_inline]] inline float sum(const f32x16& v) noexcept {
  const float32x4_t four = vaddq_f32(vaddq_f32(v.quad[0], v.quad[2]), vaddq_f32(v.quad[1], v.quad[3]));
  return (vgetq_lane_f32(four, 0) + vgetq_lane_f32(four, 2)) + (vgetq_lane_f32(four, 1) + vgetq_lane_f32(four, 3));
}

/// The greatest lane that is a number.
[[gnu::always_inline]] inline float maximum(const f32x16& v) noexcept {
  const float32x4_t four = vmaxnmq_f32(vmaxnmq_f32(v.quad[0], v.quad[2]), vmaxnmq_f32(v.quad[1], v.quad[3]));
  return vmaxnmvq_f32(vgetq_lane_f32(four, 0), four);
}

}  // namespace heed_own_code
}  // namespace heed::port
