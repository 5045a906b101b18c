// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

#include "../detail/rounded_sums.hpp"
#include "../detail/scaled_sums.hpp"
#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// port::row_scale_of(), whose zeros a compiler leaves to memset.
[[nodiscard]] inline port::RowScale scale_of_row(float value) noexcept {
  if constexpr (port::takes_support) return port::row_scale_of(value);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  port::RowScale row;
  row.value = value;
  row.mantissa = port::mantissa_of(bits);
  row.exponent = port::exponent_of(bits);
  row.least = row.count = 0;
  if (static_cast<std::int32_t>(bits) > 0 && port::is_normal(row.exponent)) row = port::row_scale_of(value);
  return row;
}

/// What a row's scale has in common for all outputs.
struct RowOfSums {
  port::RowScale row;
  ScaleOfSums scale;

  explicit RowOfSums(float row_scale) noexcept : row(scale_of_row(row_scale)) {
    const std::uint32_t mantissa = row.mantissa >> 8;
    scale = {.negative_least = 0U - row.least,
             .count = row.count,
             .exponent = static_cast<std::int32_t>(row.least >> 23) + row.exponent - 113,
             .high = mantissa >> 8,
             .low = mantissa & 0xFFU};
  }
};

/// y = zero + float(sum) * (scale * row_scale), of sixteen outputs; with -0 a product stays what it is.
[[gnu::noinline]] inline void scaled_outputs(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                             float zero, float* y) noexcept {
  std::uint32_t left_out = 0;
  if constexpr (port::takes_support) {
    left_out = scaled_sums(sums, scales, &row.scale, y) << (31 - panel_width);
  } else {
    left_out = rounded_sums(sums, scales, &row.scale, y, std::bit_cast<std::uint32_t>(zero)) << (31 - panel_width);
    if (left_out == 0) return;
  }
#pragma GCC unroll 1
  for (std::uint32_t i = 0; left_out != 0; ++i, left_out <<= 1) {
    if (static_cast<std::int32_t>(left_out) >= 0) continue;
    // Most often a key that is not there yet.
    if (row.row.count != 0 && std::bit_cast<std::uint32_t>(scales[i]) == 0) {
      y[i] = std::bit_cast<float>(static_cast<std::uint32_t>(sums[i]) & std::bit_cast<std::uint32_t>(zero));
    } else {
      y[i] = port::added(zero, port::scaled_sum<port::integer_unit>(sums[i], scales[i], row.row.value));
    }
  }
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  scaled_outputs(sums, scales, RowOfSums(row_scale), -0.0F, y);
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::noinline]] inline void add_sums(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                       const float* start, float* y) noexcept {
  // Most often there is no bias.
  std::uint32_t starts = 0;
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < panel_width; ++i) starts |= std::bit_cast<std::uint32_t>(start[i]);
  if (starts == 0) {
    scaled_outputs(sums, scales, row, 0.0F, y);
    return;
  }
  float products[panel_width];
  scaled_outputs(sums, scales, row, -0.0F, products);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < panel_width; ++i) y[i] = port::added(start[i], products[i]);
}
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  add_sums(sums, scales, RowOfSums(row_scale), start, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
