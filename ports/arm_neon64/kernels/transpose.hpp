// SPDX-License-Identifier: MIT
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace heed::detail {
inline namespace heed_own_code {

/// Columns [d, d + 4) of up to four rows become four vectors of four rows, each times `factor`, sixteen floats apart; 0
/// for rows >= count.
[[gnu::always_inline]] inline void transpose_four(const float* const* rows, std::uint32_t count, std::size_t d,
                                                  float factor, float* to) noexcept {
  const auto row = [&](std::uint32_t r) __attribute__((always_inline)) {
    return r < count ? vld1q_f32(rows[r] + d) : vdupq_n_f32(0.0F);
  };
  // Pairs of rows, then quadruples.
  const float32x4_t ab_low = vzip1q_f32(row(0), row(1));
  const float32x4_t ab_high = vzip2q_f32(row(0), row(1));
  const float32x4_t cd_low = vzip1q_f32(row(2), row(3));
  const float32x4_t cd_high = vzip2q_f32(row(2), row(3));
  vst1q_f32(to, vmulq_n_f32(vcombine_f32(vget_low_f32(ab_low), vget_low_f32(cd_low)), factor));
  vst1q_f32(to + 16, vmulq_n_f32(vcombine_f32(vget_high_f32(ab_low), vget_high_f32(cd_low)), factor));
  vst1q_f32(to + 32, vmulq_n_f32(vcombine_f32(vget_low_f32(ab_high), vget_low_f32(cd_high)), factor));
  vst1q_f32(to + 48, vmulq_n_f32(vcombine_f32(vget_high_f32(ab_high), vget_high_f32(cd_high)), factor));
}

/// Turns up to sixteen rows of `dim` floats into one panel: panel[d * 16 + r] = factor * rows[r][d], with 0 in the
/// lanes r >= count. Nothing outside the given rows is read.
inline void to_panel(const float* const* rows, std::uint32_t count, std::uint32_t dim, float factor,
                     float* panel) noexcept {
  const std::size_t whole = dim / 4 * 4;
  for (std::uint32_t first = 0; first < 16; first += 4) {
    const std::uint32_t left = count > first ? count - first : 0;
    for (std::size_t d = 0; d < whole; d += 4) {
      if (left >= 4) {
        transpose_four(rows + first, 4, d, factor, panel + d * 16 + first);
      } else {
        transpose_four(rows + first, left, d, factor, panel + d * 16 + first);
      }
    }
  }
  for (std::size_t d = whole; d < dim; ++d) {
    for (std::uint32_t r = 0; r < 16; ++r) panel[d * 16 + r] = r < count ? factor * rows[r][d] : 0.0F;
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
