// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row, in code for size: each step is a call.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// What a row's scale has in common for all outputs.
struct RowOfSums {
  float scale;

  explicit RowOfSums(float row_scale) noexcept : scale(row_scale) {}
};

/// A sum that lies where an output goes.
using Sum [[gnu::may_alias]] = std::int32_t;

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::noinline]] inline void add_sums(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                       const float* start, float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    y[i] = port::sum(start[i], port::product(port::as_float(sums[i]), port::product(scales[i], row.scale)));
  }
}
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  add_sums(sums, scales, RowOfSums(row_scale), start, y);
}

/// y = zero + float(sum) * (scale * row_scale), of sixteen outputs; with -0 a product stays what it is.
inline void scaled_outputs(const std::int32_t* sums, const float* scales, const RowOfSums& row, float zero, float* y,
                           std::uint32_t /*count*/ = panel_width) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) y[i] = zero;
  add_sums(sums, scales, row, y, y);
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  scaled_outputs(sums, scales, RowOfSums(row_scale), -0.0F, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
