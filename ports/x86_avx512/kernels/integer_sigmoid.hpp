// SPDX-License-Identifier: MIT
//
// The sigmoid, and what stands for the normal distribution in a GELU, as integers of 13 bits, as in the shared header.
#pragma once

#include <immintrin.h>

#include <kernels/integer_exp2.hpp>
#include <port.hpp>

namespace heed::detail {

/// factor * |x|, at most `most`, to nearest even; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 magnitude_within(float most, float factor, const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 size{_mm512_abs_ps(x.all)};
  return to_multiples<0>(min(set(most), mul(set(factor), size)));
}

/// s for d, in units of 1.
[[gnu::always_inline]] inline port::f32x16 share_of(const port::f32x16& d, const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 e = integer_exp2(mul(set(-0x1p-8F), d));
  const f32x16 share = to_multiples<13>(div(set(1.0F + 57.0F * 0x1p-23F), add(set(1.0F), e)));
  const __mmask16 below = _mm512_cmp_ps_mask(x.all, _mm512_setzero_ps(), _CMP_LT_OQ);
  return {_mm512_mask_sub_ps(share.all, below, _mm512_set1_ps(1.0F), share.all)};
}

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 number = magnitude_within(2839.0F, 256.0F, x);
  return share_of(to_multiples<0>(fma(number, set(1477.0F * 0x1p-10F), set(0x1p-11F))), x);
}

/// The share of a normal distribution below x.
[[gnu::always_inline]] inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  using namespace port;
  const f32x16 number = magnitude_within(2047.0F, 512.0F, x);
  const f32x16 part = mul(set(0x1p-10F), number);
  const f32x16 square = to_multiples<0>(fma(part, number, set(0x1p-11F)));
  const f32x16 factor = to_multiples<0>(fma(square, set(843.0F * 0x1p-12F), set(4828081.0F * 0x1p-12F + 0x1p-13F)));
  return share_of(to_multiples<0>(fma(part, factor, set(0x1p-11F))), x);
}

}  // namespace heed::detail
