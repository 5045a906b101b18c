// SPDX-License-Identifier: MIT
//
// The sigmoid of four lanes, operation for operation as in the shared kernel.
#pragma once

#include <kernels/exp2.hpp>
#include <port.hpp>

#include "../detail/quad.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

struct SigmoidConstants {
  float cutoff = sigmoid_cutoff;
  float far = sigmoid_far;
  float minus_log2_e = -log2_e;
  float log2 = log2_e;
  float rest = log2_e_rest;
  float shift = exp2_shift;
  float series[exp2_terms] = {exp2_series[0], exp2_series[1], exp2_series[2],
                              exp2_series[3], exp2_series[4], exp2_series[5]};
  float one = 1.0F;
  float ln2 = ln_2;
};
inline constexpr SigmoidConstants sigmoid_constants;
// Exponents stay above that below which exp2 takes a number for it.
static_assert(-log2_e * sigmoid_far > -127.0F);

/// 1 / (1 + e^-x). Compilers move predicates to and from core registers; both sides of 0 go together here.
[[gnu::always_inline]] inline port::Quad sigmoid_lanes(const port::Quad& x) noexcept {
  float32x4_t result;
  const SigmoidConstants* constants = &sigmoid_constants;
  asm("ldm %[constants]!, {r3, r4, r5, r6, r8, r9}\n"
      "vabs.f32 q1, %q[x]\n"
      "vpt.f32 gt, q1, r3\n"
      "vdupt.32 q1, r4\n"
      "vmul.f32 q2, q1, r5\n"
      "vmov q3, q2\n"
      "vfma.f32 q3, q1, r6\n"
      "vfma.f32 q3, q1, r8\n"
      "vadd.f32 q1, q2, r9\n"
      "vshl.i32 q0, q1, #23\n"
      "vsub.f32 q1, q1, r9\n"
      "vsub.f32 q2, q2, q1\n"
      "ldm %[constants]!, {r3, r4, r5, r6, r8, r9}\n"
      "vdup.32 q1, r4\n"
      "vfma.f32 q1, q2, r3\n"
      "vfmas.f32 q1, q2, r5\n"
      "vfmas.f32 q1, q2, r6\n"
      "vfmas.f32 q1, q2, r8\n"
      "vfmas.f32 q1, q2, r9\n"
      "vfma.f32 q2, q1, q2\n"
      "vfma.f32 q0, q0, q2\n"
      "ldrd r3, r4, [%[constants]]\n"
      "vdup.32 q1, r3\n"
      // "Less" is true of NaN; r is NaN then.
      "vptt.f32 lt, %q[x], zr\n"
      "vmovt q1, q0\n"
      "vfmat.f32 q0, q3, r4\n"
      "vadd.f32 q0, q0, r3\n"
      "vdiv.f32 s0, s4, s0\n"
      "vdiv.f32 s1, s5, s1\n"
      "vdiv.f32 s2, s6, s2\n"
      "vdiv.f32 s3, s7, s3\n"
      "vmov %q[result], q0\n"
      : [result] "=w"(result), [constants] "+r"(constants)
      : [x] "w"(x.lanes), "m"(sigmoid_constants)
      : "p0", "r3", "r4", "r5", "r6", "r8", "r9", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
        "s11", "s12", "s13", "s14", "s15");
  return port::Quad(result);
}

[[gnu::always_inline]] inline port::f32x16 sigmoid_lanes(const port::f32x16& x) noexcept {
  port::f32x16 result;
  for (int q = 0; q < 4; ++q) result.quad[q] = sigmoid_lanes(port::Quad(x.quad[q])).lanes;
  return result;
}

}  // namespace heed_own_code
}  // namespace heed::detail
