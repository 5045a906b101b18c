// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

/// Columns [d, d + 8) of up to eight rows become eight vectors of eight rows, each times `factor`, sixteen floats
/// apart; 0 for rows >= count.
[[gnu::always_inline]] inline void transpose_eight(const float* const* rows, std::uint32_t count, std::size_t d,
                                                   __m256 factor, float* to) noexcept {
  const auto row = [&](std::uint32_t r) __attribute__((always_inline)) {
    return r < count ? _mm256_loadu_ps(rows[r] + d) : _mm256_setzero_ps();
  };
  // Pairs of rows, then quadruples, then the two 128-bit halves.
  const __m256 ab_low = _mm256_unpacklo_ps(row(0), row(1));
  const __m256 ab_high = _mm256_unpackhi_ps(row(0), row(1));
  const __m256 cd_low = _mm256_unpacklo_ps(row(2), row(3));
  const __m256 cd_high = _mm256_unpackhi_ps(row(2), row(3));
  const __m256 ef_low = _mm256_unpacklo_ps(row(4), row(5));
  const __m256 ef_high = _mm256_unpackhi_ps(row(4), row(5));
  const __m256 gh_low = _mm256_unpacklo_ps(row(6), row(7));
  const __m256 gh_high = _mm256_unpackhi_ps(row(6), row(7));
  const __m256 abcd[4] = {_mm256_shuffle_ps(ab_low, cd_low, 0x44), _mm256_shuffle_ps(ab_low, cd_low, 0xEE),
                          _mm256_shuffle_ps(ab_high, cd_high, 0x44), _mm256_shuffle_ps(ab_high, cd_high, 0xEE)};
  const __m256 efgh[4] = {_mm256_shuffle_ps(ef_low, gh_low, 0x44), _mm256_shuffle_ps(ef_low, gh_low, 0xEE),
                          _mm256_shuffle_ps(ef_high, gh_high, 0x44), _mm256_shuffle_ps(ef_high, gh_high, 0xEE)};
#pragma GCC unroll 4
  for (std::ptrdiff_t i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + 16 * i, _mm256_mul_ps(factor, _mm256_permute2f128_ps(abcd[i], efgh[i], 0x20)));
    _mm256_storeu_ps(to + 16 * (i + 4), _mm256_mul_ps(factor, _mm256_permute2f128_ps(abcd[i], efgh[i], 0x31)));
  }
}

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  const __m256 factors = _mm256_set1_ps(factor);
  const std::size_t whole = std::size_t{dim} / 8 * 8;
  for (std::uint32_t first = 0; first < 16; first += 8) {
    const std::uint32_t left = count > first ? count - first : 0;
    for (std::size_t d = 0; d < whole; d += 8) {
      if (left >= 8) {
        transpose_eight(rows + first, 8, d, factors, panel + d * 16 + first);
      } else if (left == 0) {
        for (std::size_t i = 0; i < 8; ++i) _mm256_storeu_ps(panel + (d + i) * 16 + first, _mm256_setzero_ps());
      } else {
        transpose_eight(rows + first, left, d, factors, panel + d * 16 + first);
      }
    }
  }
  for (std::size_t d = whole; d < dim; ++d) {
    for (std::uint32_t r = 0; r < 16; ++r) panel[d * 16 + r] = r < count ? factor * rows[r][d] : 0.0F;
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
