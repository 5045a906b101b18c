// SPDX-License-Identifier: MIT
//
// Sixteen lanes of 32 bits in a register.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

struct IntegerLanes {
  __m512i all;
};

[[gnu::always_inline]] inline IntegerLanes load_lanes(const std::byte* from) noexcept {
  return {_mm512_loadu_si512(from)};
}

/// The same lanes, which compilers may not load again where they are used again.
[[gnu::always_inline]] inline IntegerLanes loaded_once(IntegerLanes v) noexcept {
  asm("" : "+v"(v.all));
  return v;
}

[[gnu::always_inline]] inline void store_lanes(std::int32_t* to, const IntegerLanes& v) noexcept {
  _mm512_storeu_si512(to, v.all);
}

/// Four bytes in every lane.
[[gnu::always_inline]] inline IntegerLanes broadcast(const std::byte* four) noexcept {
  return {_mm512_set1_epi32(*reinterpret_cast<const std::int32_t*>(four))};
}

[[gnu::always_inline]] inline IntegerLanes add(const IntegerLanes& a, const IntegerLanes& b) noexcept {
  return {_mm512_add_epi32(a.all, b.all)};
}

[[gnu::always_inline]] inline IntegerLanes multiply(const IntegerLanes& a, const IntegerLanes& b) noexcept {
  return {_mm512_mullo_epi32(a.all, b.all)};
}

[[gnu::always_inline]] inline IntegerLanes masked(const IntegerLanes& v, std::int32_t mask) noexcept {
  return {_mm512_and_si512(v.all, _mm512_set1_epi32(mask))};
}

[[gnu::always_inline]] inline IntegerLanes exclusive_or(const IntegerLanes& v, std::int32_t bits) noexcept {
  return {_mm512_xor_si512(v.all, _mm512_set1_epi32(bits))};
}

/// Bits that come from beside a lane are masked afterwards.
[[gnu::always_inline]] inline IntegerLanes shifted_right(const IntegerLanes& v, int bits) noexcept {
  return {_mm512_maskz_srli_epi32(port::detail::every_lane, v.all, static_cast<unsigned>(bits))};
}

/// Bytes 1 and 3 of every lane as signed numbers of 16 bits.
[[gnu::always_inline]] inline IntegerLanes odd_bytes(const IntegerLanes& v) noexcept {
  return {_mm512_srai_epi16(v.all, 8)};
}

/// v / 2^shift to the nearest integer, halves upwards.
template <int shift>
[[gnu::always_inline]] inline IntegerLanes rounded_shift(const IntegerLanes& v) noexcept {
  if constexpr (shift == 0) {
    return v;
  } else {
    const __m512i half = _mm512_set1_epi32(1 << (shift - 1));
    return {_mm512_maskz_srai_epi32(port::detail::every_lane, _mm512_add_epi32(v.all, half), shift)};
  }
}

/// Sixteen signed bytes.
[[gnu::always_inline]] inline IntegerLanes load_multipliers(const std::int8_t* from) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm512_maskz_cvtepi8_epi32(port::detail::every_lane, bytes)};
}

/// To nearest even.
[[gnu::always_inline]] inline IntegerLanes rounded(const port::f32x16& v) noexcept {
  return {_mm512_maskz_cvtps_epi32(port::detail::every_lane, v.all)};
}

/// The lanes as floats.
[[gnu::always_inline]] inline port::f32x16 to_floats(const IntegerLanes& v) noexcept {
  return {_mm512_maskz_cvtepi32_ps(port::detail::every_lane, v.all)};
}

/// The sum of all lanes, or of those of even number.
template <bool even>
[[gnu::always_inline]] inline std::int32_t sum_of(const IntegerLanes& v) noexcept {
  const __m256i eight = _mm256_add_epi32(_mm512_maskz_extracti32x8_epi32(0xFF, v.all, 0),
                                         _mm512_maskz_extracti32x8_epi32(0xFF, v.all, 1));
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  if constexpr (!even) four = _mm_add_epi32(four, _mm_srli_epi64(four, 32));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_unpackhi_epi64(four, four)));
}

/// Stores numbers of 8 bits.
[[gnu::always_inline]] inline void store_bytes(std::byte* to, const IntegerLanes& v) noexcept {
  const __m128i bytes = _mm512_maskz_cvtepi32_epi8(port::detail::every_lane, v.all);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
}

/// Stores the low bytes of the first `count` lanes, 1..16, four bytes from each other.
[[gnu::always_inline]] inline void store_apart(std::byte* to, const IntegerLanes& v, std::uint32_t count) noexcept {
  constexpr __mmask64 low_bytes = 0x1111111111111111;
  _mm512_mask_storeu_epi8(to, low_bytes >> 4 * (port::lanes - static_cast<int>(count)), v.all);
}

/// Stores numbers of 16 bits, of every four lanes 0, 2, 1, 3.
[[gnu::always_inline]] inline void store_pairs(std::byte* to, const IntegerLanes& v) noexcept {
  const __m512i swapped = _mm512_maskz_shuffle_epi32(port::detail::every_lane, v.all, _MM_PERM_DBCA);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_maskz_cvtepi32_epi16(port::detail::every_lane, swapped));
}

}  // namespace heed::detail
