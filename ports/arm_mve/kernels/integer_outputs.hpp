// SPDX-License-Identifier: MIT
//
// What sums of integers add to a row of sixteen outputs.
#pragma once

#include <arm_mve.h>

#include <cstdint>
#include <port.hpp>

#include "../detail/quad_memory.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; i += 4) {
    const float32x4_t factors = vmulq_n_f32(port::load_quad(scales + i), row_scale);
    const float32x4_t numbers = vcvtq_f32_s32(vld1q_s32(sums + i));
    port::store_quad(y + i, vaddq_f32(port::load_quad(start + i), vmulq_f32(numbers, factors)));
  }
}

}  // namespace heed::detail
