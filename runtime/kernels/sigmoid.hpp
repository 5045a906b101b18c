// SPDX-License-Identifier: MIT
#pragma once

#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"

namespace heed::detail {

/// 1 / (1 + e^-x) within 2.43 units in the last place for x >= -sigmoid_cutoff, exactly 0 below, exactly 1/2 at 0,
/// exactly 1 from 17.33 up; NaN stays NaN.
///
/// With e = e^-|x|, which never overflows, it is 1 / (1 + e) for x >= 0 and e / (1 + e) below: nothing cancels. The
/// rounding of the exponent alone would cost 22 units below. With r = 2^exponent, e is r (1 - c), where c follows from
/// what the exponent lacks, and e / (1 + e) = r / (1 + r + c) within c^2 < 2^-36; above, the sum would not show c.
[[gnu::always_inline]] inline port::f32x16 sigmoid_lanes(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 one = set(1.0F);
  const f32x16 size = max(x, mul(set(-1.0F), x));
  const f32x16 kept = where_less(set(sigmoid_cutoff), size, set(sigmoid_far), size);
  const f32x16 exponent = mul(set(-log2_e), kept);
  const f32x16 lack = fma(kept, set(log2_e_rest), fma(kept, set(log2_e), exponent));
  const f32x16 r = exp2_nonpositive(exponent);
  const f32x16 zero = set(0.0F);
  const f32x16 dividend = where_less(x, zero, r, one);
  return div(dividend, add(one, where_less(x, zero, fma(set(ln_2), lack, r), r)));
}

}  // namespace heed::detail
