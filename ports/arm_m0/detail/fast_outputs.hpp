// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

#include "heed/arena.hpp"
#include "rounded_sums.hpp"
#include "scaled_sums.hpp"

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
  // What rounded_sums() takes.
  if (static_cast<std::int32_t>(bits) > 0 && static_cast<std::uint32_t>(row.exponent - 50) < 127U) {
    row = port::row_scale_of(value);
  }
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

/// A sum that lies where an output goes.
using Sum [[gnu::may_alias]] = std::int32_t;

/// An output that is left: most often of a key that is not there yet.
[[nodiscard]] inline float left_output(std::int32_t sum, float scale, const RowOfSums& row, float zero) noexcept {
  if (row.row.count != 0 && std::bit_cast<std::uint32_t>(scale) == 0) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(sum) & std::bit_cast<std::uint32_t>(zero));
  }
  return port::sum(zero, port::scaled_sum<port::integer_unit>(sum, scale, row.row.value));
}

/// y = zero + float(sum) * (scale * row_scale), of `count` outputs, in code for size sixteen; with -0 a product stays
/// what it is. y may be where the sums are.
[[gnu::noinline]] inline void scaled_outputs(const std::int32_t* sums, const float* scales, const RowOfSums& row,
                                             float zero, float* y,
                                             [[maybe_unused]] std::uint32_t count = panel_width) noexcept {
  if constexpr (port::takes_support) {
    std::uint32_t left_out = scaled_sums(sums, scales, &row.scale, y) << (31 - panel_width);
#pragma GCC unroll 1
    for (std::uint32_t i = 0; left_out != 0; ++i, left_out <<= 1) {
      if (static_cast<std::int32_t>(left_out) < 0) y[i] = left_output(sums[i], scales[i], row, zero);
    }
  } else {
    Sum* const in_place = reinterpret_cast<Sum*>(y);
    if (in_place != sums) {
#pragma GCC unroll 4
      for (std::uint32_t i = 0; i < count; ++i) in_place[i] = sums[i];
    }
    float* const end = y + count;
#pragma GCC unroll 1
    for (float* to = y; to != end; ++to) {
      if (row.row.count != 0) {
        to = rounded_sums(to, scales + (to - y), &row.scale, end, std::bit_cast<std::uint32_t>(zero));
        if (to == end) break;
      }
      *to = left_output(*reinterpret_cast<const Sum*>(to), scales[to - y], row, zero);
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
  for (std::uint32_t i = 0; i < panel_width; ++i) y[i] = port::sum(start[i], products[i]);
}
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  add_sums(sums, scales, RowOfSums(row_scale), start, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
