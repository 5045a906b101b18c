// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// tanh(x) within 3.30 units in the last place for every float; odd to the bit, never beyond 1, exactly x where
/// |x| < 2^-13, exactly 1 from 9.011 up; NaN stays NaN.
///
/// With t = tanh(x / 2) = n / (2 + 2 d), tanh(x) = 2 t / (1 + t^2) = (n + n d) / (1 + 2 d + d^2 + n^2 / 4). An error of
/// t is multiplied by (1 - t^2) / (1 + t^2): where tanh is flat it vanishes, and five coefficients do. A quotient of
/// two polynomials takes eight to come as close, and its rounding adds up to five units in the last place near 1.
[[gnu::always_inline]] inline port::f32x16 tanh_lanes(const port::f32x16& x) noexcept {
  using namespace port;
  // Beyond this, tanh rounds to 1.
  constexpr float saturation = 9.011F;
  const f32x16 kept = max(set(-saturation), min(set(saturation), x));
  const f32x16 square = mul(kept, kept);
  // n = x + x^3 p(x^2) and d = x^2 q(x^2), minimax: without rounding, tanh would be off by 8.3e-9 relative.
  const f32x16 p = fma(set(1.13983025e-4F), square, set(0.0297613312F));
  const f32x16 q = fma(fma(set(1.22327845e-6F), square, set(1.20524108e-3F)), square, set(0.113094626F));
  const f32x16 n = fma(mul(kept, square), p, kept);
  const f32x16 d = mul(square, q);
  const f32x16 half = mul(set(0.5F), n);
  // The small terms first: 1 + their sum rounds once.
  const f32x16 above_one = fma(half, half, fma(d, d, add(d, d)));
  return div(fma(n, d, n), add(set(1.0F), above_one));
}

}  // namespace heed::detail
