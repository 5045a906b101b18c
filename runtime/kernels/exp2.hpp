// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

#include "common/constants.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// 2^x for x <= 0 (a rounding error above is harmless). Within 0.93 units in the last place of 2^x for x > exp2_cutoff,
/// exactly 1 at 0, exactly 0 from the cutoff down, never decreasing; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 shift = set(exp2_shift);
  const f32x16 kept = max(set(exp2_floor), x);
  const f32x16 shifted = add(kept, shift);
  const f32x16 power = power_from_low_bits(shifted);
  const f32x16 fraction = sub(kept, sub(shifted, shift));
  f32x16 q = set(exp2_series[0]);
  q = fma(q, fraction, set(exp2_series[1]));
  q = fma(q, fraction, set(exp2_series[2]));
  q = fma(q, fraction, set(exp2_series[3]));
  q = fma(q, fraction, set(exp2_series[4]));
  q = fma(q, fraction, set(exp2_series[5]));
  return fma(power, fma(q, fraction, fraction), power);
}

}  // namespace heed_own_code
}  // namespace heed::detail
