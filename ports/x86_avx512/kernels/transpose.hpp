// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// put(k, column) of columns j, j + 4, j + 8 and j + 12 of sixteen rows, from `quads`: 128-bit lane L of quads[q] holds
/// column 4 L + j of rows 4 q to 4 q + 3. Not those from `columns` on.
template <class Put>
[[gnu::always_inline]] inline void put_columns(const __m512* quads, std::size_t j, std::size_t columns,
                                               Put put) noexcept {
  constexpr __mmask16 every = port::detail::every_lane;
  const __m512 even_low = _mm512_maskz_shuffle_f32x4(every, quads[0], quads[1], 0x88);
  const __m512 odd_low = _mm512_maskz_shuffle_f32x4(every, quads[0], quads[1], 0xDD);
  const __m512 even_high = _mm512_maskz_shuffle_f32x4(every, quads[2], quads[3], 0x88);
  const __m512 odd_high = _mm512_maskz_shuffle_f32x4(every, quads[2], quads[3], 0xDD);
  const __m512 column[4] = {_mm512_maskz_shuffle_f32x4(every, even_low, even_high, 0x88),
                            _mm512_maskz_shuffle_f32x4(every, odd_low, odd_high, 0x88),
                            _mm512_maskz_shuffle_f32x4(every, even_low, even_high, 0xDD),
                            _mm512_maskz_shuffle_f32x4(every, odd_low, odd_high, 0xDD)};
#pragma GCC unroll 4
  for (std::size_t lane = 0; lane < 4; ++lane) {
    const std::size_t d = 4 * lane + j;
    if (d < columns) put(d, column[lane]);
  }
}

/// put(k, column d + k) for each k < columns of `count` rows, at most sixteen of both, as one vector of sixteen rows; 0
/// for rows >= count.
template <class Put>
[[gnu::always_inline]] inline void transpose_sixteen(const float* const* rows, std::uint32_t count, std::size_t d,
                                                     std::size_t columns, Put put) noexcept {
  constexpr __mmask16 every = port::detail::every_lane;
  const __mmask16 mask = port::detail::first_lanes(static_cast<int>(columns));
  const auto row = [&](std::uint32_t r) __attribute__((always_inline)) {
    return r < count ? _mm512_maskz_loadu_ps(mask, rows[r] + d) : _mm512_setzero_ps();
  };
  // Pairs of rows, then quadruples, then the 128-bit lanes.
  __m512 quads[4][4];
#pragma GCC unroll 4
  for (std::uint32_t q = 0; q < 4; ++q) {
    const __m512 a = row(4 * q);
    const __m512 b = row(4 * q + 1);
    const __m512 c = row(4 * q + 2);
    const __m512 e = row(4 * q + 3);
    const __m512 ab_low = _mm512_maskz_unpacklo_ps(every, a, b);
    const __m512 ab_high = _mm512_maskz_unpackhi_ps(every, a, b);
    const __m512 ce_low = _mm512_maskz_unpacklo_ps(every, c, e);
    const __m512 ce_high = _mm512_maskz_unpackhi_ps(every, c, e);
    quads[0][q] = _mm512_maskz_shuffle_ps(every, ab_low, ce_low, 0x44);
    quads[1][q] = _mm512_maskz_shuffle_ps(every, ab_low, ce_low, 0xEE);
    quads[2][q] = _mm512_maskz_shuffle_ps(every, ab_high, ce_high, 0x44);
    quads[3][q] = _mm512_maskz_shuffle_ps(every, ab_high, ce_high, 0xEE);
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < 4; ++j) put_columns(quads[j], j, columns, put);
}

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  const __m512 factors = _mm512_set1_ps(factor);
  const std::size_t whole = std::size_t{dim} / 16 * 16;
  for (std::size_t d = 0; d < whole; d += 16) {
    const auto store = [&](std::size_t k, __m512 column) __attribute__((always_inline)) {
      _mm512_storeu_ps(panel + (d + k) * 16, _mm512_mul_ps(factors, column));
    };
    if (count == 16) {
      transpose_sixteen(rows, 16, d, 16, store);
    } else {
      transpose_sixteen(rows, count, d, 16, store);
    }
  }
  if (whole == dim) return;
  transpose_sixteen(
      rows, count, whole, dim - whole, [&](std::size_t k, __m512 column) __attribute__((always_inline)) {
        _mm512_storeu_ps(panel + (whole + k) * 16, _mm512_mul_ps(factors, column));
      });
}

}  // namespace heed_own_code
}  // namespace heed::detail
