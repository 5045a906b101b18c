// SPDX-License-Identifier: MIT
//
// Powers of two as integers of 14 bits, as in the shared header: every step but the last is exact, so that some of them
// are one instruction here.
#pragma once

#include <immintrin.h>

#include <port.hpp>

namespace heed::detail {

/// x to a multiple of 2^-bits, nearest even. What becomes 0 keeps its sign.
template <int bits>
[[gnu::always_inline]] inline port::f32x16 to_multiples(const port::f32x16& x) noexcept {
  constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return {_mm512_maskz_roundscale_ps(port::detail::every_lane, x.all, bits << 4 | nearest)};
}

/// 2^x for x in (-16, 0], a multiple of 2^-8, of which 0 may be -0; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 integer_exp2(const port::f32x16& x) noexcept {
  using namespace port;
  constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  const __m512 exponent = _mm512_maskz_roundscale_ps(port::detail::every_lane, x.all, up);
  const f32x16 fraction = sub({exponent}, x);
  const f32x16 slope = fma(fraction, set(-2816.0F * 0x1p-14F), set(11008.0F * 0x1p-14F));
  // Half a unit keeps what is cut off next from half way.
  const __m512 mantissa = _mm512_fnmadd_ps(fraction.all, slope.all, _mm512_set1_ps(1.0F + 0x1p-23F));
  const __m512 power = _mm512_maskz_scalef_ps(port::detail::every_lane, mantissa, exponent);
  return to_multiples<14>(sub({power}, set(0x1p-15F)));
}

}  // namespace heed::detail
