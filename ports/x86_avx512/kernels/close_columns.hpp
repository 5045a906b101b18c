// SPDX-License-Identifier: MIT
//
// What a bool mask does to a key block's scores: 64 keys of a row are a word, and a bit of sixteen rows' words is the
// mask of a vector.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

inline constexpr bool has_close_columns = true;

/// Bit i: whether key i of the first `count`, at most 64, is open. Nothing beyond them is read.
[[gnu::always_inline]] inline std::uint64_t open_word(const std::uint8_t* mask, bool bytes,
                                                      std::uint32_t count) noexcept {
  const std::uint64_t every = count >= 64 ? UINT64_MAX : (std::uint64_t{1} << count) - 1;
  if (bytes) {
    const __m512i keys = _mm512_maskz_loadu_epi8(every, mask);
    return _mm512_test_epi8_mask(keys, keys);
  }
  const auto read = static_cast<__mmask16>((1U << (count + 7) / 8) - 1U);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_maskz_loadu_epi8(read, mask)));
}

/// As the shared header says; lanes from `rows` on become -inf.
inline void close_columns(const std::uint8_t* const* masks, std::uint32_t rows, bool bytes, KeyRange keys,
                          float* scores, float* words) noexcept {
  for (std::uint32_t first = 0; first < block_keys; first += 64) {
    if (keys.begin >= first + 64 || keys.end <= first) continue;
    const std::uint32_t count = least(keys.end - first, 64);
    // All words before the first is loaded: the CPU passes on no stores to a load that is longer.
    for (std::size_t half = 0; half < 2; ++half) port::store(words + half * 16, port::set(0.0F));
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::uint64_t open = open_word(masks[r] + (bytes ? first : first / 8), bytes, count);
      const std::uint32_t halves[2] = {static_cast<std::uint32_t>(open), static_cast<std::uint32_t>(open >> 32)};
      __builtin_memcpy(words + r, &halves[0], sizeof halves[0]);
      __builtin_memcpy(words + 16 + r, &halves[1], sizeof halves[1]);
    }
    const __m512i word[2] = {_mm512_loadu_si512(words), _mm512_loadu_si512(words + 16)};
    const std::uint32_t begin = keys.begin > first ? keys.begin - first : 0;
    const __m512 closed = _mm512_set1_ps(minus_infinity);
    for (std::uint32_t key = begin; key < count; ++key) {
      const __m512i bit = _mm512_set1_epi32(static_cast<int>(1U << key % 32));
      float* const at = scores + std::size_t{first + key} * port::lanes;
      const __mmask16 open = _mm512_test_epi32_mask(word[key / 32], bit);
      _mm512_storeu_ps(at, _mm512_mask_blend_ps(open, closed, _mm512_loadu_ps(at)));
    }
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
