// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/integer_lanes.hpp>

namespace heed::detail {

/// float(sum) * (scale * row_scale)
[[gnu::always_inline]] inline port::f32x16 scaled_sums(const std::int32_t* sums, const float* scales,
                                                       float row_scale) noexcept {
  const port::f32x16 factors = port::mul(port::load(scales), port::set(row_scale));
  return port::mul(to_floats(load_lanes(reinterpret_cast<const std::byte*>(sums))), factors);
}

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  port::store(y, port::add(port::load(start), scaled_sums(sums, scales, row_scale)));
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::always_inline]] inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                              float* y) noexcept {
  port::store(y, scaled_sums(sums, scales, row_scale));
}

}  // namespace heed::detail
