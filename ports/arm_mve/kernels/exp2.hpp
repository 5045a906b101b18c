// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The constants of the shared exp2_nonpositive.
struct Exp2Constants {
  float shift = 12582912.0F + 127.0F;
  float q5 = 1.55946778e-4F;
  float q3 = 9.61769279e-3F;
  float q2 = 5.55031039e-2F;
  float q1 = 2.40226522e-1F;
  float q0 = -3.06852788e-1F;
};
inline constexpr Exp2Constants exp2_constants;

/// What exp2_of_differences() does with its totals.
enum class Totals { add, begin, join };

/// `count` quads of scores `stride` bytes apart become exp2(score - maximum). Each is added to its own of totals
/// [count, 4], or is what that begins with; or all are joined in totals [4], in ascending order from 0.
/// The shared exp2_nonpositive, operation for operation; the constants lie in core registers, of which a compiler would
/// load one anew for every use. The difference is never another NaN than the default one, which an unsigned comparison
/// of the bits takes for less than -127, as it takes every number between -127 and 0 and every positive one.
template <int Stride, Totals Use>
[[gnu::always_inline]] inline void exp2_of_differences(float* scores, float32x4_t maximum, float* totals,
                                                       std::uint32_t count) noexcept {
  asm volatile(
      "wls lr, %[count], 2f\n"
      "ldm %[constants], {r4, r5, r6, r8, r9, r10}\n"
      ".if %c[join]\n"
      "vmov.i32 q3, #0\n"
      ".endif\n"
      "1:\n"
      "vldrw.u32 q0, [%[scores]]\n"
      "vsub.f32 q0, q0, %q[maximum]\n"
      "vmin.u32 q0, q0, %q[least]\n"
      "vadd.f32 q1, q0, r4\n"
      "vshl.i32 q2, q1, #23\n"
      "vsub.f32 q1, q1, r4\n"
      "vsub.f32 q0, q0, q1\n"
      "vmov q1, %q[q4]\n"
      "vfma.f32 q1, q0, r5\n"
      "vfmas.f32 q1, q0, r6\n"
      "vfmas.f32 q1, q0, r8\n"
      ".if %c[add]\n"
      "vldrw.u32 q3, [%[totals]]\n"
      ".endif\n"
      "vfmas.f32 q1, q0, r9\n"
      "vfmas.f32 q1, q0, r10\n"
      "vfma.f32 q0, q1, q0\n"
      "vfma.f32 q2, q2, q0\n"
      "vstrw.32 q2, [%[scores]], #%c[stride]\n"
      ".if %c[begin]\n"
      "vstrw.32 q2, [%[totals]], #16\n"
      ".else\n"
      "vadd.f32 q3, q3, q2\n"
      ".endif\n"
      ".if %c[add]\n"
      "vstrw.32 q3, [%[totals]], #16\n"
      ".endif\n"
      "le lr, 1b\n"
      ".if %c[join]\n"
      "vstrw.32 q3, [%[totals]]\n"
      ".endif\n"
      "2:\n"
      : [scores] "+r"(scores), [totals] "+r"(totals)
      : [count] "r"(count), [maximum] "w"(maximum), [least] "w"(vdupq_n_f32(-127.0F)),
        [q4] "w"(vdupq_n_f32(1.34066434e-3F)), [constants] "r"(&exp2_constants), [stride] "i"(Stride),
        [add] "i"(Use == Totals::add ? 1 : 0), [begin] "i"(Use == Totals::begin ? 1 : 0),
        [join] "i"(Use == Totals::join ? 1 : 0)
      : "memory", "lr", "r4", "r5", "r6", "r8", "r9", "r10", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
        "s10", "s11", "s12", "s13", "s14", "s15");
}

/// 2^x for x <= 0 (a rounding error above is harmless). Within 0.93 units in the last place of 2^x for x > -126,
/// exactly 1 at 0, exactly 0 below -126, where the result would be subnormal, never decreasing; NaN stays NaN.
[[gnu::always_inline]] inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  float lanes[port::lanes];
  float totals[port::lanes];
  port::store(lanes, x);
  exp2_of_differences<16, Totals::begin>(lanes, vdupq_n_f32(0.0F), totals, 4);
  return port::load(lanes);
}

}  // namespace heed_own_code
}  // namespace heed::detail
