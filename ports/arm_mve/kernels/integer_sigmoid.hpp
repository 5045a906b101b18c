// SPDX-License-Identifier: MIT
//
// The functions of the shared kernel, four lanes at a time. Where that adds what rounds to an integer, an instruction
// does. NaN counts as a number.
#pragma once

#include <arm_mve.h>

#include <gaussian_shares.hpp>
#include <port.hpp>

#include "../detail/quad.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

struct SigmoidSteps {
  float factor = 256.0F;
  float most = 2839.0F;
  float slope = 1477.0F * 0x1p-10F;
  float half = 0x1p-11F;
};
/// Those of integer_exp2(), the slope and its product with the fraction negated, and of the quotient.
struct ShareSteps {
  float shift = exp2_shift;
  float slope = 2816.0F * 0x1p-14F;
  float offset = -11008.0F * 0x1p-14F;
  float mantissa = 1.0F + 0x1p-23F;
  float cut = -0x1p-15F;
  float to_fourteenth_bit = 768.0F;
  float one = 1.0F;
  float to_thirteenth_bit = 1536.0F;
  float dividend = 1.0F + 57.0F * 0x1p-23F;
  float unit = -0x1p-8F;
};
inline constexpr SigmoidSteps sigmoid_steps;
inline constexpr ShareSteps share_steps;

// clang-format off
// q1: factor * |x|, at most `most`, to nearest even.
#define HEED_MAGNITUDE              \
  "vabs.f32 q1, %q[x]\n"            \
  "vdup.32 q2, r4\n"                \
  "vmul.f32 q1, q1, r3\n"           \
  "vmin.u32 q1, q1, q2\n"           \
  "vrintn.f32 q1, q1\n"
// From d in q2.
#define HEED_SHARE                  \
  "ldr r3, [%[share], #36]\n"       \
  "vldr s0, [%[share], #32]\n"      \
  "vmul.f32 q1, q2, r3\n"           \
  "ldm %[share], {r3, r4, r5, r6, r8, r9, r10, r11}\n" \
  "vrintp.f32 q2, q1\n"             \
  "vadd.f32 q3, q2, r3\n"           \
  "vshl.i32 q3, q3, #23\n"          \
  "vsub.f32 q2, q2, q1\n"           \
  "vmul.f32 q1, q2, r4\n"           \
  "vadd.f32 q1, q1, r5\n"           \
  "vfmas.f32 q1, q2, r6\n"          \
  "vfmas.f32 q3, q1, r8\n"          \
  "vadd.f32 q3, q3, r9\n"           \
  "vsub.f32 q3, q3, r9\n"           \
  "vadd.f32 q3, q3, r10\n"          \
  "vdiv.f32 s12, s0, s12\n"         \
  "vdiv.f32 s13, s0, s13\n"         \
  "vdiv.f32 s14, s0, s14\n"         \
  "vdiv.f32 s15, s0, s15\n"         \
  "vadd.f32 q3, q3, r11\n"          \
  "vsub.f32 q3, q3, r11\n"          \
  "vptt.f32 lt, %q[x], zr\n"        \
  "vnegt.f32 q3, q3\n"              \
  "vaddt.f32 q3, q3, r10\n"         \
  "vmov %q[result], q3\n"
// The constants never change, so that their addresses say enough.
#define HEED_SHARE_OPERANDS(from)                                                   \
  : [result] "=w"(result)                                                           \
  : [x] "w"(x.lanes), [steps] "r"(&(from)), [share] "r"(&share_steps)               \
  : "p0", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "q0", "q1", "q2", "q3"

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::Quad integer_sigmoid(const port::Quad& x) noexcept {
  float32x4_t result;
  asm("ldm %[steps], {r3, r4, r5, r6}\n"
      HEED_MAGNITUDE
      "vmul.f32 q2, q1, r5\n"
      "vadd.f32 q2, q2, r6\n"
      "vrintn.f32 q2, q2\n"
      HEED_SHARE
      HEED_SHARE_OPERANDS(sigmoid_steps));
  return port::Quad(result);
}

// clang-format on
#undef HEED_MAGNITUDE
#undef HEED_SHARE
#undef HEED_SHARE_OPERANDS

/// The share of a normal distribution below x: 1/2 and what is beyond it, or less.
[[gnu::always_inline]] inline port::Quad integer_gaussian(const port::Quad& x) noexcept {
  constexpr float factor = 512.0F;
  constexpr float half = 0.5F;
  float32x4_t share;
  asm("vabs.f32 q0, %q[x]\n"
      "vmul.f32 q0, q0, %[factor]\n"
      "vcvtn.u32.f32 q0, q0\n"
      "vmin.u32 q0, q0, %q[most]\n"
      "vldrh.u32 q1, [%[shares], q0, uxtw #1]\n"
      "vcvt.f32.u32 q1, q1, #13\n"
      "vsub.f32 %q[share], q1, %[half]\n"
      "vpt.f32 lt, %q[x], zr\n"
      "vnegt.f32 %q[share], %q[share]\n"
      "vadd.f32 %q[share], %q[share], %[half]\n"
      : [share] "=&w"(share)
      : [x] "w"(x.lanes), [factor] "r"(factor), [most] "w"(vdupq_n_u32(gaussian_most)),
        [shares] "r"(gaussian_shares.of), [half] "r"(half)
      : "p0", "q0", "q1");
  return port::Quad(share);
}

[[gnu::always_inline]] inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  port::f32x16 result;
  for (int q = 0; q < 4; ++q) result.quad[q] = integer_sigmoid(port::Quad(x.quad[q])).lanes;
  return result;
}
[[gnu::always_inline]] inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  port::f32x16 result;
  for (int q = 0; q < 4; ++q) result.quad[q] = integer_gaussian(port::Quad(x.quad[q])).lanes;
  return result;
}

}  // namespace heed_own_code
}  // namespace heed::detail
