// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// Below this argument exp2_nonpositive gives 0. The greatest weight of a softmax is 1, so what is cut off is too small
/// to be seen in a sum, and no subnormal number ever arises.
inline constexpr float exp2_cutoff = -125.0F;

/// 2^x for x <= 0 (a rounding error above is harmless). Within 0.93 units in the last place of 2^x for x >=
/// exp2_cutoff, exactly 1 at 0, exactly 0 below the cutoff, never decreasing; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  using namespace port;
  // At -127 the polynomial is exactly 1, and scale_exponent() makes 0 of it.
  const f32x16 kept = select_below(x, set(exp2_cutoff), set(-127.0F), x);
  const i32x16 whole = round(kept);
  const f32x16 fraction = sub(kept, to_float(whole));
  // Minimax polynomial of 2^f on [-1/2, 1/2], relative error below 2.6e-9, as 1 + (f + f q(f)). Taking f itself out of
  // the coefficient ln 2 = 1 + (ln 2 - 1) keeps q below 1/2, and that is what makes the rounded result monotone.
  f32x16 q = set(1.55946778e-4F);
  q = fma(q, fraction, set(1.34066434e-3F));
  q = fma(q, fraction, set(9.61769279e-3F));
  q = fma(q, fraction, set(5.55031039e-2F));
  q = fma(q, fraction, set(2.40226522e-1F));
  q = fma(q, fraction, set(-3.06852788e-1F));
  const f32x16 power = add(fma(q, fraction, fraction), set(1.0F));
  return scale_exponent(power, whole);
}

}  // namespace heed::detail
