// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// Columns [d, d + 8) of eight rows become eight vectors of eight rows, each times `factor`, sixteen floats apart.
[[gnu::always_inline]] inline void transpose_eight(const float* rows, std::ptrdiff_t row_stride, __m256 factor,
                                                   float* to) noexcept {
  const auto row = [&](int r) __attribute__((always_inline)) {
    return _mm256_loadu_ps(rows + r * row_stride);
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

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r * row_stride + d], with
/// 0 in the lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* rows, std::ptrdiff_t row_stride, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  const __m256 factors = _mm256_set1_ps(factor);
  const std::uint32_t whole_rows = count / 8 * 8;
  const std::uint32_t whole_columns = dim / 8 * 8;
  for (std::uint32_t r = 0; r < whole_rows; r += 8) {
    for (std::uint32_t d = 0; d < whole_columns; d += 8) {
      transpose_eight(rows + static_cast<std::ptrdiff_t>(r) * row_stride + d, row_stride, factors,
                      panel + std::size_t{d} * 16 + r);
    }
  }
  for (std::uint32_t d = 0; d < dim; ++d) {
    for (std::uint32_t r = d < whole_columns ? whole_rows : 0; r < 16; ++r) {
      panel[std::size_t{d} * 16 + r] =
          r < count ? factor * rows[static_cast<std::ptrdiff_t>(r) * row_stride + d] : 0.0F;
    }
  }
}

}  // namespace heed::detail
