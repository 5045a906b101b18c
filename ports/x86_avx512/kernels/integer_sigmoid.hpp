// SPDX-License-Identifier: MIT
//
// The sigmoid, and what stands for the normal distribution in a GELU, as integers of 13 bits, as in the shared header.
#pragma once

#include <immintrin.h>

#include <kernels/integer_exp2.hpp>
#include <port.hpp>

namespace heed::detail {

/// |x|, at most `most`, as multiples of 2^-bits to nearest even; NaN stays NaN.
template <int bits, int count>
[[gnu::always_inline]] inline void magnitudes_within(float most, port::f32x16 (&x)[count]) noexcept {
  using namespace port;
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = min(set(most), {_mm512_abs_ps(x[i].all)});
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = to_multiples<bits>(x[i]);
}

/// s for exponents -d / 256, in units of 1.
template <int count>
[[gnu::always_inline]] inline void shares_of(port::f32x16 (&exponents)[count], port::f32x16 (&x)[count]) noexcept {
  using namespace port;
  integer_exp2(exponents);
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) exponents[i] = div(set(1.0F + 57.0F * 0x1p-23F), add(set(1.0F), exponents[i]));
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) exponents[i] = to_multiples<13>(exponents[i]);
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) {
    const __mmask16 below = _mm512_cmp_ps_mask(x[i].all, _mm512_setzero_ps(), _CMP_LT_OQ);
    x[i] = {_mm512_mask_sub_ps(exponents[i].all, below, _mm512_set1_ps(1.0F), exponents[i].all)};
  }
}

/// x = 1 / (1 + e^-x), of some vectors a step after the other. Numbers and d are divided by 256.
template <int count>
[[gnu::always_inline]] inline void integer_sigmoids(port::f32x16 (&x)[count]) noexcept {
  using namespace port;
  f32x16 numbers[count];
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) numbers[i] = x[i];
  magnitudes_within<8>(2839.0F * 0x1p-8F, numbers);
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) numbers[i] = fma(numbers[i], set(-1477.0F * 0x1p-10F), set(-0x1p-19F));
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) numbers[i] = to_multiples<8>(numbers[i]);
  shares_of(numbers, x);
}

/// The share of a normal distribution below x, likewise. Numbers are divided by 512, and their squares and d by 256.
template <int count>
[[gnu::always_inline]] inline void integer_gaussians(port::f32x16 (&x)[count]) noexcept {
  using namespace port;
  f32x16 numbers[count];
  f32x16 factors[count];
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) numbers[i] = x[i];
  magnitudes_within<9>(2047.0F * 0x1p-9F, numbers);
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) factors[i] = to_multiples<8>(fma(numbers[i], numbers[i], set(0x1p-19F)));
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) {
    factors[i] = fma(factors[i], set(-843.0F * 0x1p-13F), set(-4828081.0F * 0x1p-21F - 0x1p-22F));
  }
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) factors[i] = to_multiples<9>(factors[i]);
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) numbers[i] = to_multiples<8>(fma(numbers[i], factors[i], set(-0x1p-19F)));
  shares_of(numbers, x);
}

[[nodiscard, gnu::always_inline]] inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  port::f32x16 one[1] = {x};
  integer_sigmoids(one);
  return one[0];
}

[[nodiscard, gnu::always_inline]] inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  port::f32x16 one[1] = {x};
  integer_gaussians(one);
  return one[0];
}

}  // namespace heed::detail
