// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <arm_mve.h>

#include <cstdint>
#include <port.hpp>

#include "../detail/quad_memory.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// float(sum) * (scale * row_scale), four of them
[[gnu::always_inline]] inline float32x4_t scaled_sums(const std::int32_t* sums, const float* scales,
                                                      float row_scale) noexcept {
  const int32x4_t quad = vreinterpretq_s32_f32(port::load_quad(reinterpret_cast<const float*>(sums)));
  return vmulq_f32(vcvtq_f32_s32(quad), vmulq_n_f32(port::load_quad(scales), row_scale));
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; i += 4) {
    port::store_quad(y + i, vaddq_f32(port::load_quad(start + i), scaled_sums(sums + i, scales + i, row_scale)));
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::always_inline]] inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                              float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; i += 4) {
    port::store_quad(y + i, scaled_sums(sums + i, scales + i, row_scale));
  }
}

}  // namespace heed::detail
