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

/// 2^x for x in (-16, 0], multiples of 2^-8, of which 0 may be -0; NaN stays NaN. Of some vectors a step after the
/// other: one vector's steps wait for each other, and fill what the CPU has for those that wait.
template <int count>
[[gnu::always_inline]] inline void integer_exp2(port::f32x16 (&x)[count]) noexcept {
  using namespace port;
  constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr __mmask16 every = port::detail::every_lane;
  f32x16 exponents[count];
  f32x16 fractions[count];  // what is below the exponents, in (-1, 0]
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) exponents[i] = {_mm512_maskz_roundscale_ps(every, x[i].all, up)};
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) fractions[i] = {_mm512_maskz_reduce_ps(every, x[i].all, up)};
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = fma(fractions[i], set(2816.0F * 0x1p-14F), set(11008.0F * 0x1p-14F));
    // Half a unit of the last place keeps it from multiples of what is cut off last.
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = fma(fractions[i], x[i], set(1.0F + 0x1p-23F));
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = {_mm512_maskz_scalef_ps(every, x[i].all, exponents[i].all)};
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) x[i] = {_mm512_maskz_roundscale_ps(every, x[i].all, 14 << 4 | down)};
}

/// Of one.
[[nodiscard, gnu::always_inline]] inline port::f32x16 integer_exp2(const port::f32x16& x) noexcept {
  port::f32x16 one[1] = {x};
  integer_exp2(one);
  return one[0];
}

}  // namespace heed::detail
