// SPDX-License-Identifier: MIT
//
// Rotation of pairs of columns. Columns that alternate are taken apart and put together in registers.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Pair i is x[i * step] and y[i * step].
template <class Float>
struct Pairs {
  Float* x;
  Float* y;
  std::ptrdiff_t step;
};

/// Where `count` numbers lie, at most sixteen, of which every other lane of 32 has one.
struct EveryOther {
  explicit EveryOther(std::uint32_t count) noexcept {
    const auto taken = static_cast<std::uint32_t>((std::uint64_t{1} << 2 * count) - 1) & 0x55555555U;
    low = static_cast<__mmask16>(taken);
    high = static_cast<__mmask16>(taken >> 16);
  }
  __mmask16 low;
  __mmask16 high;
};

/// `count` floats, at most sixteen, that lie `step` elements apart.
[[nodiscard]] inline port::f32x16 gather(const float* from, std::ptrdiff_t step, std::uint32_t count) noexcept {
  if (step == 1) return count == port::lanes ? port::load(from) : port::load_partial(from, static_cast<int>(count));
  if (step == 2) {
    const EveryOther taken(count);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    // What is masked may lie past the row.
    const __m512 low = _mm512_maskz_loadu_ps(taken.low, from);
    const __m512 high = count > 8 ? _mm512_maskz_loadu_ps(taken.high, from + port::lanes) : _mm512_setzero_ps();
    return {_mm512_permutex2var_ps(low, even, high)};
  }
  float values[port::lanes] = {};
  for (std::uint32_t i = 0; i < count; ++i) values[i] = from[static_cast<std::ptrdiff_t>(i) * step];
  return port::load(values);
}

inline void scatter(float* to, std::ptrdiff_t step, std::uint32_t count, const port::f32x16& v) noexcept {
  if (step == 1) {
    if (count == port::lanes) return port::store(to, v);
    return port::store_partial(to, v, static_cast<int>(count));
  }
  if (step == 2) {
    const EveryOther taken(count);
    const __m512i low = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    const __m512i high = _mm512_setr_epi32(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
    _mm512_mask_storeu_ps(to, taken.low, _mm512_maskz_permutexvar_ps(port::detail::every_lane, low, v.all));
    if (count > 8) {
      _mm512_mask_storeu_ps(to + port::lanes, taken.high,
                            _mm512_maskz_permutexvar_ps(port::detail::every_lane, high, v.all));
    }
    return;
  }
  float values[port::lanes];
  port::store(values, v);
  for (std::uint32_t i = 0; i < count; ++i) to[static_cast<std::ptrdiff_t>(i) * step] = values[i];
}

/// rotate_pairs() of sixteen neighbouring pairs in order, as they lie: both columns of a pair have its cosine and its
/// sine.
inline void rotate_neighbours(const float* from, const float* cosines, const float* sines, float* to) noexcept {
  constexpr __mmask16 every = port::detail::every_lane;
  constexpr __mmask16 first_columns = 0x5555;
  const __m512 all_cosines = port::load(cosines).all;
  const __m512 all_sines = port::load(sines).all;
  const __m512i both[2] = {_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                           _mm512_setr_epi32(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15)};
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half, from += port::lanes, to += port::lanes) {
    const __m512 cosine = _mm512_maskz_permutexvar_ps(every, both[half], all_cosines);
    const __m512 sine = _mm512_maskz_permutexvar_ps(every, both[half], all_sines);
    const __m512 pairs = port::load(from).all;
    const __m512 swapped = _mm512_maskz_permute_ps(every, pairs, 0b10110001);
    const __m512 along = _mm512_mul_ps(pairs, cosine);
    const __m512 across = _mm512_mul_ps(swapped, sine);
    const __m512 sum = _mm512_add_ps(along, across);
    port::store(to, {_mm512_mask_sub_ps(sum, first_columns, along, across)});
  }
}

/// Likewise four pairs.
inline void rotate_four_neighbours(const float* from, const float* cosines, const float* sines, float* to) noexcept {
  constexpr __mmask8 every = 0xFF;
  const __m256i both = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
  const __m256 cosine = _mm256_maskz_permutexvar_ps(every, both, _mm256_castps128_ps256(_mm_loadu_ps(cosines)));
  const __m256 sine = _mm256_maskz_permutexvar_ps(every, both, _mm256_castps128_ps256(_mm_loadu_ps(sines)));
  const __m256 pairs = _mm256_loadu_ps(from);
  const __m256 swapped = _mm256_permute_ps(pairs, 0b10110001);
  _mm256_storeu_ps(to, _mm256_addsub_ps(_mm256_mul_ps(pairs, cosine), _mm256_mul_ps(swapped, sine)));
}

/// to.x = from.x * cosine - from.y * sine and to.y = from.y * cosine + from.x * sine, every operation rounded, for
/// `count` pairs, 1..16. to is from, or apart from it.
inline void rotate_pairs(const Pairs<const float>& from, const float* cosines, const float* sines, std::uint32_t count,
                         const Pairs<float>& to) noexcept {
  using namespace port;
  const bool neighbours = from.step == 2 && to.step == 2 && from.y == from.x + 1 && to.y == to.x + 1;
  if (neighbours && count == lanes) return rotate_neighbours(from.x, cosines, sines, to.x);
  if (neighbours && count % 4 == 0) {
    for (std::uint32_t i = 0; i < count; i += 4) {
      rotate_four_neighbours(from.x + std::size_t{2} * i, cosines + i, sines + i, to.x + std::size_t{2} * i);
    }
    return;
  }
  const f32x16 x = gather(from.x, from.step, count);
  const f32x16 y = gather(from.y, from.step, count);
  const f32x16 cosine = gather(cosines, 1, count);
  const f32x16 sine = gather(sines, 1, count);
  scatter(to.x, to.step, count, sub(mul(x, cosine), mul(y, sine)));
  scatter(to.y, to.step, count, add(mul(y, cosine), mul(x, sine)));
}

}  // namespace heed::detail
