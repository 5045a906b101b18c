// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace heed::detail {

/// float(sum) * (scale * row_scale), of sixteen outputs. Everything is read before the first is written, so that loads
/// and stores come in pairs.
struct ScaledSums {
  float32x4_t quads[4];

  [[gnu::always_inline]] ScaledSums(const std::int32_t* sums, const float* scales, float row_scale) noexcept {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      const float32x4_t scale = vmulq_n_f32(vld1q_f32(scales + q * 4), row_scale);
      quads[q] = vmulq_f32(vcvtq_f32_s32(vld1q_s32(sums + q * 4)), scale);
    }
  }

  [[gnu::always_inline]] void store(float* y) const noexcept {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) vst1q_f32(y + q * 4, quads[q]);
  }
};

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  ScaledSums scaled(sums, scales, row_scale);
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) scaled.quads[q] = vaddq_f32(vld1q_f32(start + q * 4), scaled.quads[q]);
  scaled.store(y);
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::always_inline]] inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                              float* y) noexcept {
  const ScaledSums scaled(sums, scales, row_scale);
  scaled.store(y);
}

}  // namespace heed::detail
