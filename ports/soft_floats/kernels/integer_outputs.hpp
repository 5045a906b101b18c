// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row: three operations at once, with products of 64 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs, or without a start where that is null.
[[gnu::noinline]] inline void scaled_outputs(const std::int32_t* sums, const float* scales, float row_scale,
                                             const float* start, float* y) noexcept {
  const port::RowScale row = port::row_scale_of(row_scale);
  const float* const end = scales + panel_width;
  for (; scales != end; ++scales, ++sums, ++y) {
    float output = port::scaled_by_row<port::integer_unit>(*sums, *scales, row);
    if (start != nullptr) {
      // Most often there is no bias: 0 + x is x, but for -0.
      const float from = *start++;
      if (std::bit_cast<std::uint32_t>(from) != 0 || std::bit_cast<std::uint32_t>(output) == port::sign_bit) {
        output = port::added(from, output);
      }
    }
    *y = output;
  }
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  scaled_outputs(sums, scales, row_scale, start, y);
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  scaled_outputs(sums, scales, row_scale, nullptr, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
