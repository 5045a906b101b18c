// SPDX-License-Identifier: MIT
//
// x86-64 with AVX-512 (F, BW, DQ, VL): one register is the logical vector. Without xsimd, whose release 8.1 multiplies
// and adds with two roundings here. Zero-masked forms with a full mask stand for the plain ones, which are the same
// instructions: those of gcc 12 name an uninitialised register, and it warns of that.
#pragma once

#include <immintrin.h>

#include <prefetch.hpp>
#include <single_operations.hpp>
#include <x86_folds.hpp>

#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__)
#error "this port needs -mavx512f -mavx512bw -mavx512dq -mavx512vl"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr int lanes = 16;

struct f32x16 {
  __m512 all;
};

/// Rows and panels whose sums stay in registers at once: at least 8 independent chains where the rows allow, which is
/// what two fused multiply-adds per cycle with a latency of four need. Of 8 to 28 rows of one panel 16 are fastest.
/// They take 17 loads for 16 products, 8 rows of two panels take 10, so that more rows of two panels become two tiles.
inline constexpr int tile_rows = 16;
constexpr int tile_panels(int rows) noexcept {
  return rows <= 6 ? 4 : 2;
}

namespace detail {

inline constexpr __mmask16 every_lane = 0xFFFF;

/// A mask that is set in the first `count` of sixteen lanes.
[[gnu::always_inline]] inline __mmask16 first_lanes(int count) noexcept {
  return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
}

/// Lanes 0 to 7, and 8 to 15.
[[gnu::always_inline]] inline __m256 low_half(__m512 v) noexcept {
  return _mm512_maskz_extractf32x8_ps(0xFF, v, 0);
}
[[gnu::always_inline]] inline __m256 high_half(__m512 v) noexcept {
  return _mm512_maskz_extractf32x8_ps(0xFF, v, 1);
}

}  // namespace detail

[[gnu::always_inline]] inline f32x16 set(float value) noexcept {
  return {_mm512_set1_ps(value)};
}

[[gnu::always_inline]] inline f32x16 load(const float* from) noexcept {
  return {_mm512_loadu_ps(from)};
}

[[gnu::always_inline]] inline void store(float* to, const f32x16& v) noexcept {
  _mm512_storeu_ps(to, v.all);
}

/// The first `count` lanes from memory, 0 in the others; nothing beyond them is read.
[[gnu::always_inline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  return {_mm512_maskz_loadu_ps(detail::first_lanes(count), from)};
}

/// Writes the first `count` lanes and nothing beyond them.
[[gnu::always_inline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
  _mm512_mask_storeu_ps(to, detail::first_lanes(count), v.all);
}

[[gnu::always_inline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_add_ps(a.all, b.all)};
}

[[gnu::always_inline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_sub_ps(a.all, b.all)};
}

[[gnu::always_inline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_mul_ps(a.all, b.all)};
}

/// a / b, rounded once.
[[gnu::always_inline]] inline f32x16 div(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_div_ps(a.all, b.all)};
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return {_mm512_fmadd_ps(a.all, b.all, c.all)};
}

/// The greater of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_maskz_max_ps(detail::every_lane, a.all, b.all)};
}

/// The smaller of two numbers; NaN if b is NaN.
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) noexcept {
  return {_mm512_maskz_min_ps(detail::every_lane, a.all, b.all)};
}

/// x in the lanes where a < b, which is false if either is NaN, and y in the others.
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                                const f32x16& y) noexcept {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.all, b.all, _CMP_LT_OQ), y.all, x.all)};
}

/// 2^(k - 127) for t = 1.5 * 2^23 + k with an integer k of 1..254, and 0 for k = 0: the low bits of t become the
/// exponent.
[[gnu::always_inline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  return {_mm512_castsi512_ps(_mm512_maskz_slli_epi32(detail::every_lane, _mm512_castps_si512(t.all), 23))};
}

/// Sum of the lanes: lane l with l + 8, then l + 4, l + 2, l + 1.
[[gnu::always_inline]] inline float sum(const f32x16& v) noexcept {
  return detail::sum_of_eight(_mm256_add_ps(detail::low_half(v.all), detail::high_half(v.all)));
}

/// The greatest lane; unspecified if one is NaN.
[[gnu::always_inline]] inline float maximum(const f32x16& v) noexcept {
  return detail::maximum_of_eight(_mm256_max_ps(detail::low_half(v.all), detail::high_half(v.all)));
}

}  // namespace heed_own_code
}  // namespace heed::port
