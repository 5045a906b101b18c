// SPDX-License-Identifier: MIT
//
// Functions of numbers, from the port's operations alone: written once for sixteen lanes, and for the narrower ones
// that a port may have beside them (kernels/map.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "common/all_lanes.hpp"
#include "common/compiler_flags.hpp"
#include "common/constants.hpp"

namespace heed::detail {

/// The square root of x >= 0, correctly rounded, as IEEE-754 defines it; NaN below 0.
[[nodiscard, gnu::always_inline]] inline float square_root(float x) noexcept {
  return port::square_root(x);
}

inline namespace heed_own_code {

/// Natural logarithm of a sum of weights: finite x >= 2^-126 within 1.2e-7 relative or 6e-8 absolute, -inf at 0, and
/// NaN stays NaN. Scalar: it is taken once per row.
[[nodiscard]] inline float logarithm(float x) noexcept {
  constexpr std::uint32_t exponent_field = 0x7F800000U;
  constexpr std::uint32_t sqrt_half = 0x3F3504F3U;
  if (port::is_zero(x)) return -std::bit_cast<float>(exponent_field);
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & exponent_field) == exponent_field) return x;
  // x = 2^exponent * mantissa with the mantissa in [sqrt(1/2), sqrt(2)).
  const std::uint32_t shifted = bits - sqrt_half;
  const float exponent = port::as_float(static_cast<std::int32_t>(shifted) >> 23);
  const float mantissa = std::bit_cast<float>((shifted & 0x007FFFFFU) + sqrt_half);
  // ln m = 2 artanh(s) = 2 s + s^3 (2/3 + 2/5 s^2 + 2/7 s^4 + 2/9 s^6), s = (m - 1) / (m + 1), |s| < 0.172.
  const float s = port::compact_quotient(port::compact_difference(mantissa, 1.0F), port::compact_sum(mantissa, 1.0F));
  const float square = port::compact_product(s, s);
  float series = 0.222222222F;
  series = port::fused(series, square, 0.285714286F);
  series = port::fused(series, square, 0.4F);
  series = port::fused(series, square, 0.666666667F);
  const float small = port::fused(port::compact_product(series, square), s, port::compact_sum(s, s));
  return port::fused(exponent, ln_2, small);
}

}  // namespace heed_own_code

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
