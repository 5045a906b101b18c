// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row: three operations at once, with products of 64 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/addition.hpp>
#include <soft_floats/products.hpp>

#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// float(sum) * (scale * row_scale), of sixteen outputs, of which one that is -0 becomes `zero`.
[[gnu::noinline]] inline void scaled_outputs(const std::int32_t* sums, const float* scales, float row_scale, float zero,
                                             float* y) noexcept {
  const port::RowScale row = port::row_scale_of(row_scale);
  const float* const end = scales + panel_width;
  for (; scales != end; ++scales, ++sums, ++y) {
    float output;
    if (!port::scale_by_row<port::integer_unit>(*sums, *scales, row, output)) {
      output = port::scaled_sum<port::integer_unit>(*sums, *scales, row_scale);
      if (std::bit_cast<std::uint32_t>(output) == port::sign_bit) output = zero;
    }
    *y = output;
  }
}

/// product += start where that is told in a few instructions; the product is a normal number.
[[nodiscard, gnu::always_inline]] inline bool add_start(float start, float& product) noexcept {
  auto x = std::bit_cast<std::uint32_t>(start);
  auto y = std::bit_cast<std::uint32_t>(product);
  if (!port::is_normal(port::exponent_of(x))) return false;
  port::put_in_order<port::integer_unit>(x, y);
  std::uint32_t sum;
  if (!port::add_lesser<port::integer_unit>(x, y, sum)) return false;
  product = std::bit_cast<float>(sum);
  return true;
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::noinline]] inline void started_outputs(const std::int32_t* sums, const float* scales, float row_scale,
                                              const float* start, float* y) noexcept {
  const port::RowScale row = port::row_scale_of(row_scale);
  const float* const end = scales + panel_width;
  for (; scales != end; ++scales, ++sums, ++start, ++y) {
    const float from = *start;
    float output;
    if (!port::scale_by_row<port::integer_unit>(*sums, *scales, row, output) || !add_start(from, output)) {
      output = port::added(from, port::scaled_sum<port::integer_unit>(*sums, *scales, row_scale));
    }
    *y = output;
  }
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  // Most often there is no bias: 0 + x is x, but for -0.
  std::uint32_t bits = 0;
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < panel_width; ++i) bits |= std::bit_cast<std::uint32_t>(start[i]);
  if (bits == 0) {
    scaled_outputs(sums, scales, row_scale, 0.0F, y);
  } else {
    started_outputs(sums, scales, row_scale, start, y);
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  scaled_outputs(sums, scales, row_scale, -0.0F, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
