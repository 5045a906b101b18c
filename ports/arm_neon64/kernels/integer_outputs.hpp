// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "heed/arena.hpp"

namespace heed::detail {

/// float(sum) * (scale * row_scale), four of them
[[gnu::always_inline]] inline float32x4_t scaled_sums(const std::int32_t* sums, const float* scales,
                                                      float row_scale) noexcept {
  return vmulq_f32(vcvtq_f32_s32(vld1q_s32(sums)), vmulq_n_f32(vld1q_f32(scales), row_scale));
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < panel_width; i += 4) {
    vst1q_f32(y + i, vaddq_f32(vld1q_f32(start + i), scaled_sums(sums + i, scales + i, row_scale)));
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::always_inline]] inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                              float* y) noexcept {
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < panel_width; i += 4) {
    vst1q_f32(y + i, scaled_sums(sums + i, scales + i, row_scale));
  }
}

}  // namespace heed::detail
