// SPDX-License-Identifier: MIT
//
// Four 128-bit NEON registers make the logical vector: what the 64-bit and the 32-bit Arm port share.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

namespace heed::port {
inline namespace heed_own_code {

#ifdef __aarch64__
using Architecture = xsimd::neon64;
#else
using Architecture = xsimd::neon;
#endif

}  // namespace heed_own_code
}  // namespace heed::port

#include <prefetch.hpp>
#include <xsimd_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

static_assert(register_lanes == 4);

namespace detail {

/// The first `count` of four lanes. NEON has no masked loads; a count rarely changes, so its branches are foreseen.
[[gnu::always_inline]] inline float32x4_t load_first(const float* from, int count) noexcept {
  if (count >= 4) return vld1q_f32(from);
  float32x4_t v = vdupq_n_f32(0.0F);
  if (count > 0) v = vld1q_lane_f32(from, v, 0);
  if (count > 1) v = vld1q_lane_f32(from + 1, v, 1);
  if (count > 2) v = vld1q_lane_f32(from + 2, v, 2);
  return v;
}

[[gnu::always_inline]] inline void store_first(float* to, float32x4_t v, int count) noexcept {
  if (count >= 4) return vst1q_f32(to, v);
  if (count > 0) vst1q_lane_f32(to, v, 0);
  if (count > 1) vst1q_lane_f32(to + 1, v, 1);
  if (count > 2) vst1q_lane_f32(to + 2, v, 2);
}

/// Fewer than sixteen lanes. Out of line, because that is long for what the last numbers of a row take; in a type whose
/// four registers are passed as they are.
[[gnu::noinline]] inline float32x4x4_t load_some(const float* from, int count) noexcept {
  return {{load_first(from, count), load_first(from + 4, count - 4), load_first(from + 8, count - 8),
           load_first(from + 12, count - 12)}};
}

[[gnu::noinline]] inline void store_some(float* to, float32x4x4_t v, int count) noexcept {
  store_first(to, v.val[0], count);
  store_first(to + 4, v.val[1], count - 4);
  store_first(to + 8, v.val[2], count - 8);
  store_first(to + 12, v.val[3], count - 12);
}

}  // namespace detail

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
[[gnu::always_inline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  if (count == lanes) return load(from);
  const float32x4x4_t some = detail::load_some(from, count);
  return {{{Register(some.val[0])}, {Register(some.val[1])}}, {{Register(some.val[2])}, {Register(some.val[3])}}};
}

/// Writes the first `count` lanes and nothing beyond them.
[[gnu::always_inline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  if (count == lanes) return store(to, v);
  detail::store_some(to, {{v.low.low.leaf, v.low.high.leaf, v.high.low.leaf, v.high.high.leaf}}, count);
}

// As intrinsics: at -Os, gcc would call the operators of xsimd.
[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vaddq_f32(x, y)); }, a, b);
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vsubq_f32(x, y)); }, a, b);
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vmulq_f32(x, y)); }, a, b);
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return map<Register>(
      [](Register x, Register y, Register z) __attribute__((always_inline)) { return Register(vfmaq_f32(z, x, y)); }, a,
      b, c);
}

/// The greater of two numbers; NaN if one is.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vmaxq_f32(x, y)); }, a, b);
}

/// The smaller of two numbers; NaN if one is.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>(
      [](Register x, Register y) __attribute__((always_inline)) { return Register(vminq_f32(x, y)); }, a, b);
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
[[gnu::always_inline]] inline float sum(const f32x16& v) noexcept {
  const float32x4_t four = vaddq_f32(vaddq_f32(v.low.low.leaf, v.high.low.leaf),  //
                                     vaddq_f32(v.low.high.leaf, v.high.high.leaf));
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(vpadd_f32(two, two), 0);
}

/// The greatest lane; NaN if one is.
[[gnu::always_inline]] inline float maximum(const f32x16& v) noexcept {
  const float32x4_t four = vmaxq_f32(vmaxq_f32(v.low.low.leaf, v.high.low.leaf),  //
                                     vmaxq_f32(v.low.high.leaf, v.high.high.leaf));
  const float32x2_t two = vmax_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(vpmax_f32(two, two), 0);
}

}  // namespace heed_own_code
}  // namespace heed::port
