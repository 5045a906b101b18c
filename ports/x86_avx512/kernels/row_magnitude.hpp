// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <port.hpp>

namespace heed::detail {

/// The greatest of magnitudes whose bits are given, or NaN if one of them is infinite or NaN. Bits without the sign are
/// ordered as magnitudes are.
[[nodiscard, gnu::always_inline]] inline float magnitude_of(__m512i all) noexcept {
  constexpr std::uint32_t infinity_bits = 0x7F800000U;
  const __m256i eight =
      _mm256_max_epu32(_mm512_maskz_extracti32x8_epi32(0xFF, all, 0), _mm512_maskz_extracti32x8_epi32(0xFF, all, 1));
  const __m128i four = _mm_max_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i two = _mm_max_epu32(four, _mm_unpackhi_epi64(four, four));
  const __m128i one = _mm_max_epu32(two, _mm_srli_epi64(two, 32));
  const auto greatest = static_cast<std::uint32_t>(_mm_cvtsi128_si32(one));
  return greatest < infinity_bits ? std::bit_cast<float>(greatest) : std::numeric_limits<float>::quiet_NaN();
}

/// Of x [count], or NaN if one of them is infinite or NaN.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
  __m512i all = _mm512_setzero_si512();
  const auto join = [&](const port::f32x16& numbers) noexcept {
    const __m512i bits = _mm512_and_si512(_mm512_castps_si512(numbers.all), magnitude);
    all = _mm512_maskz_max_epu32(port::detail::every_lane, all, bits);
  };
  for (; count >= port::lanes; count -= port::lanes, x += port::lanes) join(port::load(x));
  if (count != 0) join(port::load_partial(x, static_cast<int>(count)));
  return magnitude_of(all);
}

}  // namespace heed::detail
