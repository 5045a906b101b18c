// SPDX-License-Identifier: MIT
//
// Stored numbers into lanes with AVX2 and F16C.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Eight signed bytes.
[[gnu::always_inline]] inline port::Register load_eight_int8(const std::int8_t* from) noexcept {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes))};
}

/// Sixteen signed bytes.
[[gnu::always_inline]] inline port::f32x16 load_int8(const std::int8_t* from) noexcept {
  return {{load_eight_int8(from)}, {load_eight_int8(from + 8)}};
}

/// Sixteen numbers of four bits, -8..7, each stored as its value + 8: lane i is the low half of byte i, lane i + 8 its
/// high half.
[[gnu::always_inline]] inline port::f32x16 load_int4(const std::uint8_t* from) noexcept {
  // Widened once, and split then: the widening costs more than the rest.
  const __m256i pairs = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  const __m256i low = _mm256_and_si256(pairs, _mm256_set1_epi32(0x0F));
  const __m256i high = _mm256_srli_epi32(pairs, 4);
  const __m256i eight = _mm256_set1_epi32(8);
  return {{port::Register(_mm256_cvtepi32_ps(_mm256_sub_epi32(low, eight)))},
          {port::Register(_mm256_cvtepi32_ps(_mm256_sub_epi32(high, eight)))}};
}

/// Sixteen numbers of IEEE-754 binary16; NaN becomes some quiet NaN.
[[gnu::always_inline]] inline port::f32x16 load_half(const std::uint16_t* from) noexcept {
  return {{port::Register(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))},
          {port::Register(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 8))))}};
}

/// Eight numbers of bfloat16.
[[gnu::always_inline]] inline port::Register load_eight_bfloat16(const std::uint16_t* from) noexcept {
  // A shuffle within lanes does at once what widening and shifting do in three steps.
  const __m256i halves = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  const __m256i places = _mm256_setr_epi8(-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 4, 5, -1, -1, 6, 7,  //
                                          -1, -1, 8, 9, -1, -1, 10, 11, -1, -1, 12, 13, -1, -1, 14, 15);
  return {_mm256_castsi256_ps(_mm256_shuffle_epi8(halves, places))};
}

/// Sixteen numbers of bfloat16, which are the upper halves of floats.
[[gnu::always_inline]] inline port::f32x16 load_bfloat16(const std::uint16_t* from) noexcept {
  return {{load_eight_bfloat16(from)}, {load_eight_bfloat16(from + 8)}};
}

}  // namespace heed::detail
