// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row: three operations at once, with products of 64 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <detail/row_sums.hpp>
#include <detail/scaled_sums.hpp>
#include <port.hpp>
#include <soft_floats/products.hpp>

#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// A row's scale, taken apart.
struct RowOfSums {
  port::RowScale row;
  ScaleOfSums scale;

  explicit RowOfSums(float row_scale) noexcept : row(port::row_scale_of(row_scale)), scale(scale_of_sums(row)) {}
};

/// The outputs that scaled_sums() has left out.
[[gnu::noinline]] inline void scale_rest(const std::int32_t* sums, const float* scales, const RowOfSums& of, float zero,
                                         float* y, std::uint32_t left_out) noexcept {
  const bool is_normal = of.row.count != 0;
  // The first output's bit at the top.
  for (left_out <<= 31 - panel_width; left_out != 0; left_out <<= 1, ++sums, ++scales, ++y) {
    if ((left_out & port::sign_bit) == 0) continue;
    // Most often a key that is not there yet.
    if (is_normal && std::bit_cast<std::uint32_t>(*scales) == 0) {
      *y = std::bit_cast<float>(static_cast<std::uint32_t>(*sums) & std::bit_cast<std::uint32_t>(zero));
      continue;
    }
    *y = port::scaled_sum<port::integer_unit>(*sums, *scales, of.row.value);
    if (std::bit_cast<std::uint32_t>(*y) == port::sign_bit) *y = zero;
  }
}

/// scaled_sums() of a port that is told what -0 becomes, or of one that leaves it out.
template <class Scale>
[[nodiscard, gnu::always_inline]] inline std::uint32_t scaled_by(const Scale& scale, const std::int32_t* sums,
                                                                 const float* scales, float zero, float* y) noexcept {
  if constexpr (requires { scaled_sums(sums, scales, &scale, y, zero); }) {
    return scaled_sums(sums, scales, &scale, y, zero);
  } else {
    return scaled_sums(sums, scales, &scale, y);
  }
}

/// float(sum) * (scale * row_scale), of sixteen outputs, of which one that is -0 becomes `zero`.
[[gnu::always_inline]] inline void scaled_outputs(const std::int32_t* sums, const float* scales, const RowOfSums& of,
                                                  float zero, float* y) noexcept {
  const std::uint32_t left_out = scaled_by(of.scale, sums, scales, zero, y);
  if (left_out != 0) scale_rest(sums, scales, of, zero, y, left_out);
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::noinline]] inline void started_outputs(const std::int32_t* sums, const float* scales, const RowOfSums& of,
                                              const float* start, float* y) noexcept {
  float products[panel_width];
  scaled_outputs(sums, scales, of, -0.0F, products);
  add_rows<1>(products, start, panel_width, y);
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, const RowOfSums& of,
                                            const float* start, float* y) noexcept {
  // Most often there is no bias: 0 + x is x, but for -0.
  std::uint32_t bits = 0;
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < panel_width; ++i) bits |= std::bit_cast<std::uint32_t>(start[i]);
  if (bits == 0) {
    scaled_outputs(sums, scales, of, 0.0F, y);
  } else {
    started_outputs(sums, scales, of, start, y);
  }
}
[[gnu::noinline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                       const float* start, float* y) noexcept {
  add_sums(sums, scales, RowOfSums(row_scale), start, y);
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  scaled_outputs(sums, scales, RowOfSums(row_scale), -0.0F, y);
}

}  // namespace heed_own_code
}  // namespace heed::detail
