// SPDX-License-Identifier: MIT
//
// A key block's part of a bool mask as bits, 64 in a word: in most blocks all of them are equal.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

inline constexpr bool has_open_keys = true;

/// Bit i: whether byte i of 64 is not 0.
[[gnu::always_inline]] inline std::uint64_t open_bits_of(const std::uint8_t* mask) noexcept {
#ifdef __AVX512BW__
  const __m512i keys = _mm512_loadu_si512(mask);
  return _mm512_test_epi8_mask(keys, keys);
#else
  const auto closed = [&](int half) __attribute__((always_inline)) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask) + half);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
  };
  return ~(closed(0) | std::uint64_t{closed(1)} << 32);
#endif
}

inline KeyRange open_keys(const std::uint8_t* mask, bool bytes, bool& hole) noexcept {
  constexpr std::size_t words = block_keys / 64;
  static_assert(block_keys % 64 == 0);
  std::uint64_t open[words];
  std::uint64_t every = UINT64_MAX;
  std::uint64_t any = 0;
#pragma GCC unroll 8
  for (std::size_t w = 0; w < words; ++w) {
    if (bytes) {
      open[w] = open_bits_of(mask + 64 * w);
    } else {
      __builtin_memcpy(&open[w], mask + 8 * w, sizeof open[w]);
    }
    every &= open[w];
    any |= open[w];
  }
  if (every == UINT64_MAX) return {0, block_keys};
  if (any == 0) return {};
  std::size_t first = 0;
  while (open[first] == 0) ++first;
  std::size_t last = words - 1;
  while (open[last] == 0) --last;
  const auto begin = static_cast<int>(64 * first) + std::countr_zero(open[first]);
  const auto end = static_cast<int>(64 * (last + 1)) - std::countl_zero(open[last]);
  int count = 0;
  for (const std::uint64_t bits : open) count += std::popcount(bits);
  hole = hole || count != end - begin;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace heed_own_code
}  // namespace heed::detail
