// SPDX-License-Identifier: MIT
//
// What products of packed int8 weights, and an encoder of them, cannot go below on Helium: the instructions that every
// sixteen products, every four numbers that are rounded, every four outputs and so on take, in loops so long that their
// ends are less than a twentieth, with no sum that would have to be kept and no address that would have to move.
#pragma once

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#elif defined(__aarch64__)
#include "aarch64/product_limits.hpp"
#endif

#include <cstddef>
#include <cstdint>

namespace heed::bench {

/// The shapes of an encoder's block.
struct Encoder {
  std::uint32_t tokens;
  std::uint32_t model_dim;
  std::uint32_t mlp_dim;
};

#ifdef __ARM_FEATURE_MVE

// clang-format off
#define HEED_FOUR_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
// Sixteen weights of an output are four words apart, and even ones have 128 added.
#define HEED_WEIGHTS(to) "vldrw.u32 " to ", [%q[at]]\n" "veor " to ", " to ", %q[at]\n"
#define HEED_SUM(sum, weights, row) "vmladava.s8 " sum ", " weights ", " row "\n"
#define HEED_ROW_OF_TWO "vldrb.u8 q2, [%[from]]\n" HEED_SUM("%[a]", "q0", "q2") HEED_SUM("%[b]", "q1", "q2")
#define HEED_RUN(...)                                                                               \
  asm volatile("1:\n" __VA_ARGS__ "subs %[times], #1\n" "bne 1b\n"                                  \
               : [a] "+Te"(a), [b] "+Te"(b), [times] "+r"(times)                                    \
               : [from] "l"(from), [at] "w"(at), [factor] "r"(1.0F)                                 \
               : "memory", "cc", "p0", "q0", "q1", "q2")

/// Rounds, multiplies and makes outputs as often as `rows` by `inputs` numbers and `outputs` ask for; what comes of it is
/// nothing. True: there is such a count. `from` has 64 bytes.
[[nodiscard]] inline bool take_least(std::uint32_t rows, std::uint32_t inputs, std::uint32_t outputs,
                                     std::byte* from) noexcept {
  const uint32x4_t at = vdupq_n_u32(reinterpret_cast<std::uintptr_t>(from));
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::uint32_t times = 0;
  if (rows == 1) {
    // The row would be in registers.
    times = inputs * outputs / (16 * 16);
    HEED_RUN(HEED_FOUR_TIMES(HEED_FOUR_TIMES(HEED_WEIGHTS("q0") HEED_SUM("%[a]", "q0", "q2"))));
  } else {
    // Four rows by two outputs: of tiles of eight sums, those with the fewest loads.
    times = rows * inputs * outputs / (4 * 2 * 16 * 4);
    HEED_RUN(HEED_FOUR_TIMES(HEED_WEIGHTS("q0") HEED_WEIGHTS("q1") HEED_FOUR_TIMES(HEED_ROW_OF_TWO)));
  }
  times = rows * inputs / (4 * 16);
  HEED_RUN(HEED_FOUR_TIMES(HEED_FOUR_TIMES("vldrw.u32 q0, [%[from]]\n" "vmax.u32 q2, q2, q0\n"
                                           "vldrw.u32 q0, [%[from]]\n" "vmul.f32 q0, q0, %[factor]\n"
                                           "vadd.f32 q0, q0, %[factor]\n" "vstrb.32 q0, [%[from]]\n")));
  times = rows * outputs / (4 * 4);
  HEED_RUN(HEED_FOUR_TIMES("vldrw.u32 q0, [%[from]]\n" "vmul.f32 q0, q0, %[factor]\n" "vmov q1[2], q1[0], %[a], %[b]\n"
                           "vmov q1[3], q1[1], %[a], %[b]\n" "vcvt.f32.s32 q1, q1\n" "vmul.f32 q1, q1, q0\n"
                           "vstrw.32 q1, [%[from]]\n"));
  return true;
}

// Of eight scores: the greatest, weights as heed defines them, their sum, times the scales of values, and the greatest
// of that.
#define HEED_LOAD "vldrw.u32 q0, [%[from]]\n"
#define HEED_GREATEST HEED_LOAD "vmaxnm.f32 q2, q2, q0\n"
#define HEED_TO_STEPS HEED_LOAD "vsub.f32 q0, q0, q1\n" "vmin.u32 q0, q0, q1\n" "vadd.f32 q0, q0, q1\n" "vmax.u32 q2, q2, q0\n"
#define HEED_WEIGH                                                                                            \
  "vcvt.f32.u32 q0, q0, #14\n" "vldrw.u32 q1, [%[from]]\n" "vpt.f32 ne, q0, zr\n" "vmult.f32 q0, q0, q1\n" \
  "vstrw.32 q0, [%[from]]\n" "vmax.u32 q2, q2, q0\n"
#define HEED_SOFTMAX                                                                                          \
  HEED_GREATEST HEED_GREATEST HEED_TO_STEPS HEED_TO_STEPS                                                     \
  "vmovnt.i32 q0, q1\n" "vshr.s16 q1, q0, #8\n" "vbic.i16 q0, #0xff00\n" "vmul.i16 q2, q0, q1\n"             \
  "vmul.i16 q0, q0, q1\n" "vadd.i16 q2, q2, q1\n" "vadd.i16 q0, q0, q1\n" "vmulh.s16 q0, q0, q2\n"           \
  "vadd.i16 q0, q0, q1\n" "vshl.u16 q0, q0, q1\n" "vaddva.u16 %[a], q0\n" "vmovlt.u16 q1, q0\n"              \
  "vmovlb.u16 q0, q0\n" HEED_WEIGH HEED_WEIGH
// Of sixteen weights: two of 8 bits a word, as 16 bits.
#define HEED_SIXTEEN_WEIGHTS                                                                                  \
  HEED_FOUR_TIMES(HEED_LOAD "vmul.f32 q0, q0, %[factor]\n" "vadd.f32 q0, q0, %[factor]\n")                   \
  "vmovnt.i32 q0, q1\n" "vmovnt.i32 q0, q1\n" "vaddva.s16 %[a], q0\n" "vstrh.16 q0, [%[from]]\n"             \
  "vstrh.16 q0, [%[from]]\n"
// Sixteen weights of four rows times the values of two channels.
#define HEED_ROW_OF_WORDS                                                                                     \
  "vldrh.u16 q1, [%[from]]\n" "vldrh.u16 q2, [%[from]]\n"                                                    \
  HEED_FOUR_TIMES("vmladava.s16 %[a], q0, q1\n")
#define HEED_VALUES                                                                                           \
  "vldrw.u32 q0, [%q[at]]\n" "vmovlb.u8 q1, q0\n" "vmovlt.s8 q0, q0\n"                                       \
  "vldrw.u32 q0, [%q[at]]\n" "vmovlb.u8 q1, q0\n" "vmovlt.s8 q0, q0\n" HEED_FOUR_TIMES(HEED_ROW_OF_WORDS)
#define HEED_GELU                                                                                             \
  HEED_LOAD "vmul.f32 q1, q0, %[factor]\n" "vminnma.f32 q1, q0\n" "vcvtn.u32.f32 q1, q1\n"                   \
  "vldrh.u32 q2, [%[from]]\n" "vptt.f32 lt, q0, zr\n" "vsubt.i32 q2, q1, q2\n" "vmint.u32 q0, q0, q1\n"      \
  "vcvt.f32.u32 q2, q2, #13\n" "vmul.f32 q0, q0, q2\n" "vstrw.32 q0, [%[from]]\n"
// What a block adds to, the mean of that, of its squares, and the norm.
#define HEED_NORM                                                                                             \
  HEED_LOAD "vldrw.u32 q1, [%[from]]\n" "vadd.f32 q0, q0, q1\n" "vstrw.32 q0, [%[from]]\n"                   \
  "vadd.f32 q2, q2, q0\n" HEED_LOAD "vsub.f32 q0, q0, %[factor]\n" "vfma.f32 q2, q0, q0\n"                   \
  HEED_LOAD "vldrw.u32 q1, [%[from]]\n" "vsub.f32 q0, q0, %[factor]\n" "vmul.f32 q0, q0, %[factor]\n"        \
  "vldrw.u32 q2, [%[from]]\n" "vfma.f32 q2, q0, q1\n" "vstrw.32 q2, [%[from]]\n"
// Four channels of a key or a value: their greatest magnitude, and themselves over a scale.
#define HEED_APPEND                                                                                           \
  HEED_LOAD "vshl.i32 q0, q0, #1\n" "vmax.u32 q2, q2, q0\n" HEED_LOAD                                         \
  "vdiv.f32 s0, s0, s4\n" "vdiv.f32 s1, s1, s4\n" "vdiv.f32 s2, s2, s4\n" "vdiv.f32 s3, s3, s4\n"            \
  "vadd.f32 q0, q0, %[factor]\n" "vstrb.32 q0, [%[from]]\n"
#define HEED_TAKE(count, at_once, ...)                                                                        \
  times = (count) / (4 * (at_once));                                                                          \
  HEED_RUN(HEED_FOUR_TIMES(__VA_ARGS__))

/// An encoder with norms after its blocks, one head, a GELU, and a bias for each matrix: what it takes beside its
/// products of int8, which are those of take_least(). Keys come in panels of sixteen.
inline void take_least_of_rest(const Encoder& encoder, std::byte* from) noexcept {
  const uint32x4_t at = vdupq_n_u32(reinterpret_cast<std::uintptr_t>(from));
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::uint32_t times = 0;
  const std::uint32_t numbers = encoder.tokens * encoder.model_dim;
  const std::uint32_t weights = encoder.tokens * ((encoder.tokens + 15) / 16 * 16);
  HEED_TAKE(weights, 8, HEED_SOFTMAX);
  HEED_TAKE(weights, 16, HEED_SIXTEEN_WEIGHTS);
  HEED_TAKE(weights * encoder.model_dim, 4 * 2 * 16, HEED_VALUES);
  HEED_TAKE(encoder.tokens * encoder.mlp_dim, 4, HEED_GELU);
  HEED_TAKE(2 * numbers, 4, HEED_NORM);
  HEED_TAKE(2 * numbers, 4, HEED_APPEND);
}

// clang-format on
#undef HEED_LOAD
#undef HEED_GREATEST
#undef HEED_TO_STEPS
#undef HEED_WEIGH
#undef HEED_SOFTMAX
#undef HEED_SIXTEEN_WEIGHTS
#undef HEED_ROW_OF_WORDS
#undef HEED_VALUES
#undef HEED_GELU
#undef HEED_NORM
#undef HEED_APPEND
#undef HEED_TAKE
#undef HEED_FOUR_TIMES
#undef HEED_WEIGHTS
#undef HEED_SUM
#undef HEED_ROW_OF_TWO
#undef HEED_RUN

#elif !defined(__aarch64__)

/// No such count is known.
[[nodiscard]] inline bool take_least(std::uint32_t /*rows*/, std::uint32_t /*inputs*/, std::uint32_t /*outputs*/,
                                     std::byte* /*from*/) noexcept {
  return false;
}

inline void take_least_of_rest(const Encoder& /*encoder*/, std::byte* /*from*/) noexcept {}

#endif

}  // namespace heed::bench
