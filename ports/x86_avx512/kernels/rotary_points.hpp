// SPDX-License-Identifier: MIT
//
// The points on the circle that pairs of columns are rotated to, eight at a time: the steps of sine_cosine(), whose
// integers are the same, and whose one rounding is the conversion from 64 bits.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "heed/detail/phase.hpp"

namespace heed::detail {

/// Eight numbers of 64 bits. What GCC 12 leaves uninitialised in intrinsics without a mask has one here.
struct EightPhases {
  static constexpr __mmask8 every = 0xFF;

  [[gnu::always_inline]] static __m512i shifted_right(__m512i v, unsigned bits) noexcept {
    return _mm512_maskz_srli_epi64(every, v, bits);
  }
  [[gnu::always_inline]] static __m512i shifted_left(__m512i v, unsigned bits) noexcept {
    return _mm512_maskz_slli_epi64(every, v, bits);
  }
  /// Of the low halves.
  [[gnu::always_inline]] static __m512i product(__m512i a, __m512i b) noexcept {
    return _mm512_maskz_mul_epu32(every, a, b);
  }
  [[gnu::always_inline]] static __m512i all(std::uint64_t value) noexcept {
    return _mm512_set1_epi64(static_cast<long long>(value));
  }

  /// multiply_high()
  [[gnu::always_inline]] static __m512i high(__m512i a, __m512i b) noexcept {
    const __m512i low = all(UINT32_MAX);
    const __m512i above_a = shifted_right(a, 32);
    const __m512i above_b = shifted_right(b, 32);
    const __m512i carried = _mm512_add_epi64(product(above_a, b), shifted_right(product(a, b), 32));
    const __m512i crossed = _mm512_add_epi64(product(a, above_b), _mm512_and_si512(carried, low));
    return _mm512_add_epi64(product(above_a, above_b),
                            _mm512_add_epi64(shifted_right(carried, 32), shifted_right(crossed, 32)));
  }

  /// CircularSeries::at()
  [[gnu::always_inline]] static __m512i series(const CircularSeries& terms, __m512i v) noexcept {
    const __m512i above = shifted_right(v, 32);
    __m512i sum = all(terms.rest[4]);
#pragma GCC unroll 4
    for (std::size_t k = 4; k-- > 0;) {
      sum = _mm512_sub_epi64(all(terms.rest[k]), shifted_right(product(sum, above), 32));
    }
    const __m512i inner = _mm512_sub_epi64(all(terms.second), high(shifted_left(sum, 28), v));
    return _mm512_sub_epi64(all(terms.first), high(inner, v));
  }

  /// What a number's leading zeros are in an exponent of floats, 63 - zeros + 127; of 0 anything.
  [[gnu::always_inline]] static __m512i exponent(__m512i v) noexcept {
    constexpr int to_zero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    const __m512i bits = _mm512_castpd_si512(_mm512_maskz_cvt_roundepu64_pd(every, v, to_zero));
    return _mm512_sub_epi64(shifted_right(bits, 52), all(1023 - 127));
  }

  /// A number to nearest even.
  [[gnu::always_inline]] static __m256 to_floats(__m512i v) noexcept {
    return _mm512_maskz_cvtepu64_ps(every, v);
  }
};

[[gnu::always_inline]] inline void eight_points(__m512i phases, __m256 factor, __m256& cosines,
                                                __m256& sines) noexcept {
  using Eight = EightPhases;
  const __m512i in_quadrant = Eight::shifted_left(phases, 2);
  const __mmask8 mirrored = _mm512_cmpgt_epu64_mask(in_quadrant, Eight::all(std::uint64_t{1} << 63));
  const __m512i u = _mm512_mask_sub_epi64(in_quadrant, mirrored, Eight::all(0), in_quadrant);
  const __m512i v = Eight::high(u, u);
  // 2^(63 - zeros), whose float times 2^-126 is 2^-(63 + zeros).
  const __m512i exponent = Eight::exponent(u);
  const __m512i zeros = _mm512_sub_epi64(Eight::all(63 + 127), exponent);
  const __m512i front = _mm512_maskz_sllv_epi64(Eight::every, u, zeros);
  const __m512i scale = Eight::shifted_left(_mm512_sub_epi64(exponent, Eight::all(126)), 23);
  const __m256 scales = _mm256_castsi256_ps(_mm512_maskz_cvtepi64_epi32(Eight::every, scale));
  // A shift by more than 63 gives 0, so that u = 0 has the sine 0 times something: not so if that were infinite.
  const __mmask8 any = _mm512_test_epi64_mask(u, u);
  const __m256 sine =
      _mm256_maskz_mul_ps(any, Eight::to_floats(Eight::high(front, Eight::series(sine_series, v))), scales);
  const __m512i versine = Eight::high(v, Eight::series(versine_series, v));
  const __m256 cosine = _mm256_mul_ps(Eight::to_floats(_mm512_sub_epi64(Eight::all(std::uint64_t{1} << 63), versine)),
                                      _mm256_set1_ps(0x1p-63F));

  const __mmask8 odd = _mm512_test_epi64_mask(phases, Eight::all(std::uint64_t{1} << 62));
  const __mmask8 below = _mm512_test_epi64_mask(phases, Eight::all(std::uint64_t{1} << 63));
  const auto swapped = static_cast<__mmask8>(mirrored ^ odd);
  const __m256 sign = _mm256_set1_ps(-0.0F);
  __m256 x = _mm256_mask_blend_ps(swapped, cosine, sine);
  __m256 y = _mm256_mask_blend_ps(swapped, sine, cosine);
  y = _mm256_mask_xor_ps(y, below, y, sign);
  x = _mm256_mask_xor_ps(x, static_cast<__mmask8>(odd ^ below), x, sign);
  cosines = _mm256_mul_ps(x, factor);
  sines = _mm256_mul_ps(y, factor);
}

/// The cosines and sines, times `factor`, of the phases that `count` pairs, 1..16, have at a position.
inline void rotary_points(const Phase* steps, std::uint32_t position, std::uint32_t count, float factor, float* cosines,
                          float* sines) noexcept {
  for (std::uint32_t first = 0; first < count; first += 8) {
    const std::uint32_t left = count - first;
    const auto taken = static_cast<__mmask8>(left >= 8 ? 0xFF : (1U << left) - 1);
    const __m512i step = _mm512_maskz_loadu_epi64(taken, steps + first);
    // A step times a position of 32 bits, modulo 2^64.
    const __m512i phases = _mm512_mullo_epi64(step, EightPhases::all(position));
    __m256 x;
    __m256 y;
    eight_points(phases, _mm256_set1_ps(factor), x, y);
    _mm256_mask_storeu_ps(cosines + first, taken, x);
    _mm256_mask_storeu_ps(sines + first, taken, y);
  }
}

}  // namespace heed::detail
