// SPDX-License-Identifier: MIT
//
// The sigmoid, and what stands for the normal distribution in a GELU, as integers of 13 bits. X is rounded to nearest
// even, ">>" to nearest, of two the greater:
//   sigmoid  d = (1477 X) >> 10,                           X = 256 |x|, at most 2839: d / 256 is log2(e) |x|
//   gaussian d = (X ((4828081 + 843 (X^2 >> 10)) >> 12)) >> 10, X = 512 |x|, at most 2047:
//            d / 256 is log2(e) * 1.5957691 * (|x| + 0.044715 |x|^3), as in the tanh of a GELU
//   s = 134218640 / (2^14 + e) to nearest, e = 2^-(d / 256) of integer_exp2.hpp, and 2^13 - s for x < 0
// The sigmoid is off by 1.6e-3 at most, the distribution by 1.5e-3. Products have at most 23 bits, so that all steps
// are exact in floats, as here. 134218640 is 2^27 + 912: with it, no quotient lies so close to half way that a float
// is rounded to it.
#pragma once

#include <kernels/integer_exp2.hpp>
#include <port.hpp>

namespace heed::detail {

/// x to nearest even.
[[gnu::always_inline]] inline port::f32x16 nearest_integer(const port::f32x16& x) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23
  return port::sub(port::add(x, port::set(shift)), port::set(shift));
}

/// factor * |x|, at most `most`, to nearest even; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 magnitude_within(float most, float factor, const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 size = mul(set(factor), max(x, mul(set(-1.0F), x)));
  return nearest_integer(where_less(set(most), size, set(most), size));
}

/// s for d, in units of 1.
[[gnu::always_inline]] inline port::f32x16 share_of(const port::f32x16& d, const port::f32x16& x) noexcept {
  using namespace port;
  constexpr float to_thirteenth_bit = 1536.0F;
  const f32x16 e = integer_exp2(mul(set(-0x1p-8F), d));
  const f32x16 quotient = div(set(1.0F + 57.0F * 0x1p-23F), add(set(1.0F), e));
  const f32x16 share = sub(add(quotient, set(to_thirteenth_bit)), set(to_thirteenth_bit));
  return where_less(x, set(0.0F), sub(set(1.0F), share), share);
}

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 number = magnitude_within(2839.0F, 256.0F, x);
  return share_of(nearest_integer(fma(number, set(1477.0F * 0x1p-10F), set(0x1p-11F))), x);
}

/// The share of a normal distribution below x.
[[gnu::always_inline]] inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 number = magnitude_within(2047.0F, 512.0F, x);
  const f32x16 part = mul(set(0x1p-10F), number);
  const f32x16 square = nearest_integer(fma(part, number, set(0x1p-11F)));
  const f32x16 factor = nearest_integer(fma(square, set(843.0F * 0x1p-12F), set(4828081.0F * 0x1p-12F + 0x1p-13F)));
  return share_of(nearest_integer(fma(part, factor, set(0x1p-11F))), x);
}

}  // namespace heed::detail
