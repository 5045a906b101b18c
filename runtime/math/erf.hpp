// SPDX-License-Identifier: MIT
#pragma once

#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/constants.hpp"
#include "math/lanes.hpp"

namespace heed::detail {

/// Above this erfc_of_magnitude gives 0: half of it would be subnormal soon, and some processors take such numbers for
/// 0.
inline constexpr float erfc_cutoff = 9.14F;

/// erfc(t) = 1 - erf(t) for t >= 0, exactly 0 above erfc_cutoff; NaN stays NaN. The error in units in the last place is
/// at most 3.7 + 1.85 t^2: the exponent t^2 log2(e) is rounded.
///
/// e^(t^2) erfc(t) falls from 1 as slowly as 1 / t; the quotient below, minimax on [0, 9.2], is off by 4.8e-9 relative
/// without rounding, and all of its coefficients are positive.
template <class Lanes>
[[gnu::always_inline]] inline Lanes erfc_of_magnitude(const Lanes& t) noexcept {
  using namespace port;
  constexpr auto all = all_lanes<Lanes>;
  const Lanes kept = where_less(all(erfc_cutoff), t, all(10.0F), t);
  Lanes p = fma(all(0.0319623717F), kept, all(0.225228967F));
  p = fma(p, kept, all(0.723213206F));
  p = fma(p, kept, all(1.23037299F));
  p = fma(p, kept, all(1.0F));
  Lanes q = fma(all(0.0566509808F), kept, all(0.399238514F));
  q = fma(q, kept, all(1.30970794F));
  q = fma(q, kept, all(2.3847726F));
  q = fma(q, kept, all(2.35875264F));
  q = fma(q, kept, all(1.0F));
  return mul(exp2_nonpositive(mul(mul(kept, kept), all(-log2_e))), div(p, q));
}

/// erf(x) within 2.46 units in the last place for every float; odd to the bit, never beyond 1, exactly 0 at 0 and
/// exactly 1 from 3.9193 up; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 erf_lanes(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 minus_one = set(-1.0F);
  const f32x16 size = max(x, mul(minus_one, x));
  // x + x p(x^2), minimax on [0, 1/2].
  const f32x16 square = mul(x, x);
  f32x16 p = fma(set(4.71799007e-3F), square, set(-0.0267571847F));
  p = fma(p, square, set(0.112828228F));
  p = fma(p, square, set(-0.376126086F));
  p = fma(p, square, set(0.128379166F));
  const f32x16 large = sub(set(1.0F), erfc_of_magnitude(size));
  return where_less(size, set(0.5F), fma(x, p, x), where_less(x, set(0.0F), mul(minus_one, large), large));
}

}  // namespace heed::detail
