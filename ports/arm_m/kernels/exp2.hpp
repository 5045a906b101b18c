// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/exp2_constants.hpp>
#include <port.hpp>

namespace heed::detail {

/// One lane of the shared kernel, operation for operation.
inline float lane_exp2(float x) noexcept {
  const float kept = exp2_floor > x ? exp2_floor : x;
  const float shifted = kept + exp2_shift;
  const float power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
  const float fraction = kept - (shifted - exp2_shift);
  float q = exp2_series[0];
  for (int i = 1; i < exp2_terms; ++i) q = __builtin_fmaf(q, fraction, exp2_series[i]);
  return __builtin_fmaf(power, __builtin_fmaf(q, fraction, fraction), power);
}

[[gnu::noinline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  port::f32x16 result;
#pragma GCC unroll 1
  for (int i = 0; i < port::lanes; ++i) result.lane[i] = lane_exp2(x.lane[i]);
  return result;
}

}  // namespace heed::detail
