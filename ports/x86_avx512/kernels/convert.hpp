// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes with the widening conversions of AVX-512.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 widen_int8(__m128i bytes) noexcept {
  constexpr __mmask16 every = port::detail::every_lane;
  return {_mm512_maskz_cvtepi32_ps(every, _mm512_maskz_cvtepi8_epi32(every, bytes))};
}

/// Sixteen signed bytes from memory.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  return widen_int8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  const __m128i pairs = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  const __m128i halves = _mm_unpacklo_epi64(pairs, _mm_srli_epi16(pairs, 4));
  return widen_int8(_mm_sub_epi8(_mm_and_si128(halves, _mm_set1_epi8(0x0F)), _mm_set1_epi8(8)));
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  return {_mm512_maskz_cvtph_ps(port::detail::every_lane, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  constexpr __mmask16 every = port::detail::every_lane;
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return {_mm512_castsi512_ps(_mm512_maskz_slli_epi32(every, _mm512_maskz_cvtepu16_epi32(every, halves), 16))};
}

}  // namespace heed::detail
