// SPDX-License-Identifier: MIT
//
// Powers of two as integers of 14 bits. With d = n + f / 256,
//   2^-d = (2^22 - f * (11008 - 11 * f)) >> (8 + n), in units of 2^-14
// which is 1 at d = 0, falls by half from octave to octave and is within 0.3 % of 2^-d before it is cut off. Products
// of 16 x 16 bits and a shift; in floats, as here, every step is exact.
#pragma once

#include <port.hpp>

#include "common/constants.hpp"

namespace heed::detail {

/// 2^x for x in (-16, 0], a multiple of 2^-8; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 integer_exp2(const port::f32x16& x) noexcept {
  using namespace port;
  constexpr float to_fourteenth_bit = 768.0F;
  // Up to an integer, -n: never half way between two.
  const f32x16 shifted = add(add(x, set(0.5F - 0x1p-9F)), set(exp2_shift));
  const f32x16 power = power_from_low_bits(shifted);
  const f32x16 fraction = sub(sub(shifted, set(exp2_shift)), x);
  // In units of 1; half of what is cut off next keeps it from half way.
  const f32x16 slope = fma(fraction, set(-2816.0F * 0x1p-14F), set(11008.0F * 0x1p-14F));
  const f32x16 mantissa = sub(set(1.0F + 0x1p-23F), mul(fraction, slope));
  const f32x16 cut = fma(mantissa, power, set(-0x1p-15F));
  return sub(add(cut, set(to_fourteenth_bit)), set(to_fourteenth_bit));
}

}  // namespace heed::detail
