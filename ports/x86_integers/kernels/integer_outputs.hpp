// SPDX-License-Identifier: MIT
//
// What sums of integers add to a row of sixteen outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/integer_lanes.hpp>

namespace heed::detail {

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  using namespace port;
  const f32x16 factors = mul(load(scales), set(row_scale));
  const f32x16 numbers = to_floats(load_lanes(reinterpret_cast<const std::byte*>(sums)));
  store(y, add(load(start), mul(numbers, factors)));
}

}  // namespace heed::detail
