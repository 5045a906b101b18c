// SPDX-License-Identifier: MIT
//
// Sixteen lanes of 32 bits in two registers.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

struct IntegerLanes {
  __m256i low;
  __m256i high;
};

[[gnu::always_inline]] inline IntegerLanes load_lanes(const std::byte* from) noexcept {
  const auto* const halves = reinterpret_cast<const __m256i*>(from);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

/// The same lanes, which compilers may not load again where they are used again.
[[gnu::always_inline]] inline IntegerLanes loaded_once(IntegerLanes v) noexcept {
  asm("" : "+x"(v.low), "+x"(v.high));
  return v;
}

[[gnu::always_inline]] inline void store_lanes(std::int32_t* to, const IntegerLanes& v) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v.low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), v.high);
}

/// Four bytes in every lane.
[[gnu::always_inline]] inline IntegerLanes broadcast(const std::byte* four) noexcept {
  const __m256i all = _mm256_set1_epi32(*reinterpret_cast<const std::int32_t*>(four));
  return {all, all};
}

[[gnu::always_inline]] inline IntegerLanes add(const IntegerLanes& a, const IntegerLanes& b) noexcept {
  return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}

[[gnu::always_inline]] inline IntegerLanes multiply(const IntegerLanes& a, const IntegerLanes& b) noexcept {
  return {_mm256_mullo_epi32(a.low, b.low), _mm256_mullo_epi32(a.high, b.high)};
}

[[gnu::always_inline]] inline IntegerLanes masked(const IntegerLanes& v, std::int32_t mask) noexcept {
  const __m256i all = _mm256_set1_epi32(mask);
  return {_mm256_and_si256(v.low, all), _mm256_and_si256(v.high, all)};
}

[[gnu::always_inline]] inline IntegerLanes exclusive_or(const IntegerLanes& v, std::int32_t bits) noexcept {
  const __m256i all = _mm256_set1_epi32(bits);
  return {_mm256_xor_si256(v.low, all), _mm256_xor_si256(v.high, all)};
}

/// Bits that come from beside a lane are masked afterwards.
[[gnu::always_inline]] inline IntegerLanes shifted_right(const IntegerLanes& v, int bits) noexcept {
  return {_mm256_srli_epi32(v.low, bits), _mm256_srli_epi32(v.high, bits)};
}

/// Bytes 1 and 3 of every lane as signed numbers of 16 bits.
[[gnu::always_inline]] inline IntegerLanes odd_bytes(const IntegerLanes& v) noexcept {
  return {_mm256_srai_epi16(v.low, 8), _mm256_srai_epi16(v.high, 8)};
}

/// v / 2^shift to the nearest integer, halves upwards.
template <int shift>
[[gnu::always_inline]] inline IntegerLanes rounded_shift(const IntegerLanes& v) noexcept {
  if constexpr (shift == 0) {
    return v;
  } else {
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    return {_mm256_srai_epi32(_mm256_add_epi32(v.low, half), shift),
            _mm256_srai_epi32(_mm256_add_epi32(v.high, half), shift)};
  }
}

/// Sixteen signed bytes.
[[gnu::always_inline]] inline IntegerLanes load_multipliers(const std::int8_t* from) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))};
}

/// To nearest even.
[[gnu::always_inline]] inline IntegerLanes rounded(const port::f32x16& v) noexcept {
  return {_mm256_cvtps_epi32(v.low.leaf), _mm256_cvtps_epi32(v.high.leaf)};
}

/// The lanes as floats.
[[gnu::always_inline]] inline port::f32x16 to_floats(const IntegerLanes& v) noexcept {
  return {{port::Register(_mm256_cvtepi32_ps(v.low))}, {port::Register(_mm256_cvtepi32_ps(v.high))}};
}

/// The sum of all lanes, or of those of even number.
template <bool even>
[[gnu::always_inline]] inline std::int32_t sum_of(const IntegerLanes& v) noexcept {
  const __m256i eight = _mm256_add_epi32(v.low, v.high);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  if constexpr (!even) four = _mm_add_epi32(four, _mm_srli_epi64(four, 32));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_unpackhi_epi64(four, four)));
}

/// Stores numbers of 8 bits.
[[gnu::always_inline]] inline void store_bytes(std::byte* to, const IntegerLanes& v) noexcept {
  const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packs_epi32(v.low, v.high), 0xD8);
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
}

/// Stores the low bytes of the first `count` lanes, 1..16, four bytes from each other.
[[gnu::always_inline]] inline void store_apart(std::byte* to, const IntegerLanes& v, std::uint32_t count) noexcept {
  std::int32_t lanes[port::lanes];
  store_lanes(lanes, v);
  for (std::uint32_t i = 0; i < count; ++i) to[std::size_t{i} * 4] = static_cast<std::byte>(lanes[i]);
}

/// Stores numbers of 16 bits, of every four lanes 0, 2, 1, 3.
[[gnu::always_inline]] inline void store_pairs(std::byte* to, const IntegerLanes& v) noexcept {
  const __m256i low = _mm256_shuffle_epi32(v.low, 0xD8);
  const __m256i high = _mm256_shuffle_epi32(v.high, 0xD8);
  const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), pairs);
}

}  // namespace heed::detail
