// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// Up to and including this argument exp2_nonpositive gives 0. The greatest weight of a softmax is 1, so what is cut
/// off is too small to be seen in a sum.
inline constexpr float exp2_cutoff = -126.5F;

/// A constant in a core register, where a vector operation takes it as it is. A compiler that knew it would load it
/// again for every use.
[[gnu::always_inline]] inline float in_core_register(float value) noexcept {
  asm("" : "+r"(value));
  return value;
}

/// The constants of the shared exp2_nonpositive.
struct Exp2Constants {
  float shift = in_core_register(12582912.0F + 127.0F);
  float q5 = in_core_register(1.55946778e-4F);
  float q3 = in_core_register(9.61769279e-3F);
  float q2 = in_core_register(5.55031039e-2F);
  float q1 = in_core_register(2.40226522e-1F);
  float q0 = in_core_register(-3.06852788e-1F);
  float32x4_t q4 = vdupq_n_f32(1.34066434e-3F);
  uint32x4_t least = vreinterpretq_u32_f32(vdupq_n_f32(-127.0F));
};

/// The shared exp2_nonpositive, operation for operation, for four lanes that an operation of the vector unit left: then
/// a NaN is the default one, which an unsigned comparison of the bits takes for less than -127, as it takes every
/// number between -127 and 0 and every positive one.
[[gnu::always_inline]] inline float32x4_t exp2_of_result(const Exp2Constants& constants, float32x4_t x) noexcept {
  const float32x4_t kept = vreinterpretq_f32_u32(vminq_u32(vreinterpretq_u32_f32(x), constants.least));
  const float32x4_t shifted = vaddq_n_f32(kept, constants.shift);
  const float32x4_t power = vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(shifted), 23));
  const float32x4_t fraction = vsubq_f32(kept, vsubq_n_f32(shifted, constants.shift));
  float32x4_t q = vfmaq_n_f32(constants.q4, fraction, constants.q5);
  q = vfmasq_n_f32(q, fraction, constants.q3);
  q = vfmasq_n_f32(q, fraction, constants.q2);
  q = vfmasq_n_f32(q, fraction, constants.q1);
  q = vfmasq_n_f32(q, fraction, constants.q0);
  return vfmaq_f32(power, power, vfmaq_f32(fraction, q, fraction));
}

/// 2^x for x <= 0 (a rounding error above is harmless). Within 0.93 units in the last place of 2^x for x > -126,
/// exactly 1 at 0, exactly 0 below -126, where the result would be subnormal, never decreasing; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  const Exp2Constants constants;
  port::f32x16 result;
  // Adding 0 makes any NaN the default one.
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) result.quad[q] = exp2_of_result(constants, vaddq_n_f32(x.quad[q], 0.0F));
  return result;
}

}  // namespace heed::detail
