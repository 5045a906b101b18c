// SPDX-License-Identifier: MIT
//
// x86-64 with AVX2, FMA and F16C: two 256-bit registers make the logical vector.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#if !defined(__AVX2__) || !defined(__FMA__) || !defined(__F16C__)
#error "this port needs -mavx2 -mfma -mf16c"
#endif

namespace heed::port {
inline namespace heed_own_code {

/// 256 bits also where the flags allow 512.
using Architecture = xsimd::fma3<xsimd::avx2>;

}  // namespace heed_own_code
}  // namespace heed::port

#include <prefetch.hpp>
#include <x86_folds.hpp>
#include <xsimd_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// Rows and panels whose sums stay in registers at once: 12 of the 16 registers, and at least 8 independent chains,
/// which is what two fused multiply-adds per cycle with a latency of four need.
inline constexpr int tile_rows = 6;
constexpr int tile_panels(int rows) noexcept {
  return rows == 1 ? 4 : rows == 2 ? 3 : rows == 3 ? 2 : 1;
}

namespace detail {

/// Eight lanes of a mask that is set in the first `count` of them.
[[gnu::always_inline]] inline __m256i first_lanes(int count) noexcept {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

}  // namespace detail

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
[[gnu::always_inline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  return {{Register(_mm256_maskload_ps(from, detail::first_lanes(count)))},
          {Register(_mm256_maskload_ps(from + 8, detail::first_lanes(count - 8)))}};
}

/// Writes the first `count` lanes and nothing beyond them.
[[gnu::always_inline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  _mm256_maskstore_ps(to, detail::first_lanes(count), v.low.leaf);
  _mm256_maskstore_ps(to + 8, detail::first_lanes(count - 8), v.high.leaf);
}

/// The greater of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return Register(_mm256_max_ps(x, y)); }, a, b);
}

/// a / b, rounded once.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return Register(_mm256_div_ps(x, y)); }, a, b);
}

/// The smaller of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  return map<Register>([](Register x, Register y) { return Register(_mm256_min_ps(x, y)); }, a, b);
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  return map<Register>(
      [](Register left, Register right, Register yes, Register no) {
        return Register(_mm256_blendv_ps(no, yes, _mm256_cmp_ps(left, right, _CMP_LT_OQ)));
      },
      a, b, x, y);
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
[[gnu::always_inline]] inline float sum(const f32x16& v) noexcept {
  return detail::sum_of_eight(_mm256_add_ps(v.low.leaf, v.high.leaf));
}

/// The greatest lane; unspecified if one is NaN.
[[gnu::always_inline]] inline float maximum(const f32x16& v) noexcept {
  return detail::maximum_of_eight(_mm256_max_ps(v.low.leaf, v.high.leaf));
}

}  // namespace heed_own_code
}  // namespace heed::port
