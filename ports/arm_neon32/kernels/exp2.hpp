// SPDX-License-Identifier: MIT
#pragma once

#include <arm_neon.h>

#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Four lanes of exp2_nonpositive. On intrinsics throughout: a bit cast of the vector type goes through memory here.
[[gnu::always_inline]] inline float32x4_t exp2_of_four(float32x4_t x) noexcept {
  const float32x4_t shift = vdupq_n_f32(exp2_shift);
  const float32x4_t kept = vmaxq_f32(vdupq_n_f32(exp2_floor), x);
  const float32x4_t shifted = vaddq_f32(kept, shift);
  const float32x4_t power = vreinterpretq_f32_s32(vshlq_n_s32(vreinterpretq_s32_f32(shifted), 23));
  const float32x4_t fraction = vsubq_f32(kept, vsubq_f32(shifted, shift));
  float32x4_t q = vdupq_n_f32(exp2_series[0]);
#pragma GCC unroll 8
  for (int term = 1; term < exp2_terms; ++term) q = vfmaq_f32(vdupq_n_f32(exp2_series[term]), q, fraction);
  return vfmaq_f32(power, power, vfmaq_f32(fraction, q, fraction));
}

/// 2^x for x <= 0, operation for operation as the shared kernel does it.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  return port::map<port::Register>([](port::Register four) { return port::Register(exp2_of_four(four)); }, x);
}

}  // namespace heed_own_code
}  // namespace heed::detail
