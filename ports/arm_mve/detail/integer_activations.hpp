// SPDX-License-Identifier: MIT
//
// The GELU and the SiLU of integers over a row, as the shared kernel of their shares defines them: GELU from a table,
// four numbers at a time, SiLU in numbers of 16 bits, eight at a time. NaN counts as a number until x is multiplied.
#pragma once

#include <arm_mve.h>

#include <cstdint>
#include <gaussian_shares.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"
#include "quad_loops.hpp"
#include "quad_memory.hpp"

namespace heed::detail {

// clang-format off
// From x in q2 and, in q0, the table's share in units of 2^-13: x times the share. Of -inf the lowest float is taken,
// whose bits are the smaller ones; products of this port, which x is, have no other NaN than the positive one.
#define HEED_TIMES_TABLE_SHARE             \
  "vptt.f32 lt, q2, zr\n"                  \
  "vsubt.i32 q0, %q[one], q0\n"            \
  "vmint.u32 q2, q2, %q[least]\n"          \
  "vcvt.f32.u32 q0, q0, #13\n"             \
  "vmul.f32 q2, q2, q0\n"
#define HEED_GELU(finish)                                                                        \
  asm volatile(                                                                                  \
      HEED_EACH_QUAD(                                                                            \
      "vldrw.u32 q2, [%[from]], #16\n"                                                           \
      "vmul.f32 q1, q2, %[factor]\n"                                                             \
      "vminnma.f32 q1, %q[most]\n"                                                               \
      "vcvtn.u32.f32 q1, q1\n"                                                                   \
      "vldrh.u32 q0, [%[shares], q1, uxtw #1]\n"                                                 \
      HEED_TIMES_TABLE_SHARE finish                                                              \
      "vstrw.32 q2, [%[to]], #16\n")                                                             \
      : [from] "+r"(from), [factors] "+r"(factors), [to] "+r"(to)                                \
      : HEED_QUADS_OF(count), [factor] "r"(512.0F), [shares] "r"(gaussian_shares.of),            \
        [most] "w"(vdupq_n_f32(gaussian_most)), [one] "w"(vdupq_n_u32(1U << 13)),                \
        [least] "w"(vdupq_n_f32(lowest))                                                         \
      : "memory", "p0", "lr", "q0", "q1", "q2")

/// to = max(lowest, from) * share of a normal distribution * factors, or without those where they are null. Each
/// [count].
[[gnu::noinline]] inline void integer_gelu(const float* from, const float* factors, std::uint32_t count,
                                           float* to) noexcept {
  if (factors != nullptr) {
    HEED_GELU("vldrw.u32 q0, [%[factors]], #16\n" "vmul.f32 q2, q2, q0\n");
  } else {
    HEED_GELU("");
  }
}

/// Of eight numbers of 16 bits: with d = n + f / 256, e = (2^14 + ((128 f) (22 f - 22016) >> 16)) >> n.
struct SigmoidSteps {
  float most = 2839.0F;  ///< what a number is held to, and the others of all lanes
  std::uint32_t to_octaves = 4 * 1477;
  float whole = 1.0F;
  float least = lowest;
  float factor = 256.0F;
  std::int32_t slope = 22;
  std::int32_t offset = -22016;
  std::int32_t one = 1 << 14;
  float to_thirteenth_bit = 1536.0F;
  float dividend = 1.0F + 57.0F * 0x1p-23F;
};
inline constexpr SigmoidSteps sigmoid_steps;

// Numbers within the most, to nearest even.
#define HEED_SIGMOID_NUMBERS(to, at)       \
  "vldrw.u32 " to ", [%[from], #" at "]\n" \
  "vmul.f32 " to ", " to ", r3\n"          \
  "vminnma.f32 " to ", q4\n"               \
  "vcvtn.u32.f32 " to ", " to "\n"
// From 2^14 (1 + e) in `quad`. Helium has no division.
#define HEED_TIMES_SIGMOID(quad, a, b, c, d) \
  "vcvt.f32.u32 " quad ", " quad ", #14\n" \
  "vldrw.u32 q2, [%[from]], #16\n"         \
  "vdiv.f32 " a ", s12, " a "\n"           \
  "vdiv.f32 " b ", s12, " b "\n"           \
  "vdiv.f32 " c ", s12, " c "\n"           \
  "vdiv.f32 " d ", s12, " d "\n"           \
  "vadd.f32 " quad ", " quad ", r8\n"      \
  "vsub.f32 " quad ", " quad ", r8\n"      \
  "vptt.f32 lt, q2, zr\n"                  \
  "vsubt.f32 " quad ", q6, " quad "\n"      \
  "vmint.u32 q2, q2, q7\n"                 \
  "vmul.f32 q2, q2, " quad "\n"            \
  "vldrw.u32 " quad ", [%[factors]]\n"     \
  "add %[factors], %[factors], %[factor_step]\n" \
  "vmul.f32 q2, q2, " quad "\n"            \
  "vstrw.32 q2, [%[to]], #16\n"

/// to = max(lowest, from) / (1 + e^-from) * factors, which move on by `factor_step` bytes for four numbers. Eight
/// `times`, at least once.
[[gnu::noinline]] inline void integer_silu(const float* from, const float* factors, std::uint32_t factor_step,
                                           std::uint32_t times, float* to) noexcept {
  // Chosen here, because compilers find none for so many operands in code that is not optimised.
  register const float* x asm("r0") = from;
  register const float* factor asm("r1") = factors;
  register float* y asm("r2") = to;
  register const SigmoidSteps* steps asm("r8") = &sigmoid_steps;
  register const std::uint32_t rounds asm("r9") = times;
  register const std::uint32_t step asm("r12") = factor_step;
  asm volatile(
      "ldm r8!, {r3, r4, r5, r6}\n"
      "vdup.32 q4, r3\n"
      "vdup.16 q5, r4\n"
      "vdup.32 q6, r5\n"
      "vdup.32 q7, r6\n"
      "vldr s12, [r8, #20]\n"
      "ldm r8, {r3, r4, r5, r6, r8}\n"
      "dls lr, %[times]\n"
      "1:\n"
      HEED_SIGMOID_NUMBERS("q0", "0")
      HEED_SIGMOID_NUMBERS("q1", "16")
      "vmovnt.i32 q0, q1\n"
      "vshl.i16 q0, q0, #4\n"
      "vrmulh.u16 q0, q0, q5\n"
      "vshr.u16 q1, q0, #8\n"
      "vbic.i16 q0, #0xff00\n"
      "vneg.s16 q1, q1\n"
      "vmul.i16 q2, q0, r4\n"
      "vshl.i16 q0, q0, #7\n"
      "vadd.i16 q2, q2, r5\n"
      "vmulh.s16 q0, q0, q2\n"
      "vadd.i16 q0, q0, r6\n"
      "vshl.u16 q0, q0, q1\n"
      "vadd.i16 q0, q0, r6\n"
      "vmovlt.u16 q1, q0\n"
      "vmovlb.u16 q0, q0\n"
      HEED_TIMES_SIGMOID("q0", "s0", "s1", "s2", "s3")
      HEED_TIMES_SIGMOID("q1", "s4", "s5", "s6", "s7")
      "le lr, 1b\n"
      : [from] "+r"(x), [factors] "+r"(factor), [to] "+r"(y), "+r"(steps)
      : [times] "r"(rounds), [factor_step] "r"(step)
      : "memory", "p0", "lr", "r3", "r4", "r5", "r6", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7");
}

// clang-format on
#undef HEED_TIMES_TABLE_SHARE
#undef HEED_GELU
#undef HEED_SIGMOID_NUMBERS
#undef HEED_TIMES_SIGMOID

/// The same of any number, `factors` null or [count].
[[gnu::noinline]] inline void integer_silu_of_row(const float* from, const float* factors, std::uint32_t count,
                                                  float* to) noexcept {
  // Times 1, every number stays what it is.
  static constexpr float ones[4] = {1.0F, 1.0F, 1.0F, 1.0F};
  const std::uint32_t step = factors != nullptr ? 16 : 0;
  const std::uint32_t whole = count / 8 * 8;
  const std::uint32_t left = count - whole;
  if (whole != 0) integer_silu(from, step != 0 ? factors : ones, step, whole / 8, to);
  if (left == 0) return;
  float last[8];
  float last_factors[8];
  for (std::uint32_t i = 0; i < 2; ++i) {
    const mve_pred16_t there = vctp32q(left > 4 * i ? left - 4 * i : 0);
    port::store_quad(last + 4 * i, port::load_quad(from + whole + 4 * i, there));
    port::store_quad(last_factors + 4 * i,
                     step != 0 ? port::load_quad(factors + whole + 4 * i, there) : vdupq_n_f32(1.0F));
  }
  integer_silu(last, last_factors, 16, 1, last);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const mve_pred16_t there = vctp32q(left > 4 * i ? left - 4 * i : 0);
    port::store_quad(to + whole + 4 * i, port::load_quad(last + 4 * i), there);
  }
}

}  // namespace heed::detail
