// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// Up to and including this argument exp2_nonpositive gives 0. The greatest weight of a softmax is 1, so what is cut
/// off is too small to be seen in a sum.
inline constexpr float exp2_cutoff = -126.5F;

/// 2^x for x <= 0 (a rounding error above is harmless). Within 0.93 units in the last place of 2^x for x > exp2_cutoff,
/// exactly 1 at 0, exactly 0 from the cutoff down, never decreasing; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  using namespace port;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits; with 127 on top these are the exponent field
  // of the power of two. At -127 that power is 0.
  const f32x16 shift = set(12582912.0F + 127.0F);
  const f32x16 kept = max(set(-127.0F), x);
  const f32x16 shifted = add(kept, shift);
  const f32x16 power = power_from_low_bits(shifted);
  const f32x16 fraction = sub(kept, sub(shifted, shift));
  // Minimax polynomial of 2^f on [-1/2, 1/2], relative error below 2.6e-9, as 1 + (f + f q(f)). Taking f itself out of
  // the coefficient ln 2 = 1 + (ln 2 - 1) keeps q below 1/2, and that is what makes the rounded result monotone.
  f32x16 q = set(1.55946778e-4F);
  q = fma(q, fraction, set(1.34066434e-3F));
  q = fma(q, fraction, set(9.61769279e-3F));
  q = fma(q, fraction, set(5.55031039e-2F));
  q = fma(q, fraction, set(2.40226522e-1F));
  q = fma(q, fraction, set(-3.06852788e-1F));
  return fma(power, fma(q, fraction, fraction), power);
}

}  // namespace heed::detail
