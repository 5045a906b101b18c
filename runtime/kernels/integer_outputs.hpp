// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <cstdint>

#include "heed/arena.hpp"

namespace heed::detail {

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    y[i] = start[i] + static_cast<float>(sums[i]) * (scales[i] * row_scale);
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) y[i] = static_cast<float>(sums[i]) * (scales[i] * row_scale);
}

}  // namespace heed::detail
