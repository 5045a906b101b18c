// SPDX-License-Identifier: MIT
//
// The end of folding sixteen lanes, from eight on: what the x86 ports share.
#pragma once

#include <immintrin.h>

namespace heed::port {
inline namespace heed_own_code {
namespace detail {

/// Lane l + lane l + 4, then l + 2, l + 1.
[[gnu::always_inline]] inline float sum_of_eight(__m256 eight) noexcept {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// The greatest lane; unspecified if one is NaN.
[[gnu::always_inline]] inline float maximum_of_eight(__m256 eight) noexcept {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

}  // namespace detail
}  // namespace heed_own_code
}  // namespace heed::port
