// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row: three operations at once.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    const float product = port::scaled_sum<port::integer_unit>(sums[i], scales[i], row_scale);
    const auto bits = std::bit_cast<std::uint32_t>(product);
    // Most often there is no bias: 0 + x is x, but for -0.
    y[i] = std::bit_cast<std::uint32_t>(start[i]) == 0 && bits != port::sign_bit ? product : start[i] + product;
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  for (std::uint32_t i = 0; i < panel_width; ++i) {
    y[i] = port::scaled_sum<port::integer_unit>(sums[i], scales[i], row_scale);
  }
}

}  // namespace heed::detail
