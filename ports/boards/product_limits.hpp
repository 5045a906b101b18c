// SPDX-License-Identifier: MIT
//
// What products of packed int8 weights, and an encoder of them, cannot go below on Helium, whatever their loops: the
// arithmetic that every sixteen products, every four numbers that are rounded, every four outputs and so on take as the
// kernels define it, what has to be moved because there are eight registers of vectors and eight of sums, and nothing
// else. No loop ends, no address moves, and nothing is read that might still be in a register.
#pragma once

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#elif defined(__aarch64__)
#include "aarch64/product_limits.hpp"
#endif

#include <cstddef>
#include <cstdint>

namespace heed::bench {

/// Of the instructions that have been counted, those that the limits' own loops take to begin and to end, or more.
inline std::uint64_t of_loops = 0;

/// The shapes of an encoder whose first token alone is read; all of its tokens but that one are projected from
/// features.
struct Encoder {
  std::uint32_t blocks;
  std::uint32_t tokens;
  std::uint32_t features;
  std::uint32_t model_dim;
  std::uint32_t mlp_dim;
};

#ifdef __ARM_FEATURE_MVE

/// Instructions that move vectors into registers, or two sums out of theirs or back, and the most products of a vector
/// of a row and a vector of weights that may lie between.
struct Moves {
  std::uint32_t count;
  std::uint32_t products;
};

/// The ones that bound most. Some rows meet some outputs there: with r vectors of rows and w of weights, r + w at most
/// the eight that were in registers and those that came, and s sums, likewise, there are sqrt(r w s) products at most
/// (Loomis and Whitney; Irony, Toledo, Tiskin 2004).
[[nodiscard]] constexpr Moves find_moves() noexcept {
  Moves best{0, 1};
  for (std::uint32_t count = 1; count <= 64; ++count) {
    std::uint32_t most = 0;
    for (std::uint32_t vectors = 0; vectors <= count; ++vectors) {
      const std::uint32_t squared = (8 + vectors) * (8 + vectors) / 4 * (8 + 2 * (count - vectors));
      while ((most + 1) * (most + 1) <= squared) ++most;
    }
    if (count * best.products > best.count * most) best = {count, most};
  }
  return best;
}
inline constexpr Moves least_moves = find_moves();

// clang-format off
#define HEED_FOUR_TIMES(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define HEED_TAKE(count, ...)                                                                       \
  times = (count) / 4;                                                  \
  of_loops += 2 * times + 32;                                                                       \
  if (times != 0) asm volatile("1:\n" HEED_FOUR_TIMES(__VA_ARGS__) "subs %[times], #1\n" "bne 1b\n" \
               : [a] "+Te"(a), [times] "+r"(times)                                                  \
               : [from] "l"(from), [factor] "r"(1.0F), [at] "w"(at)                                 \
               : "memory", "cc", "p0", "q0", "q1", "q2")
#define HEED_LOAD "vldrw.u32 q0, [%[from]]\n"
#define HEED_STORE "vstrw.32 q0, [%[from]]\n"
#define HEED_BEGIN                                                                                  \
  const uint32x4_t at = vdupq_n_u32(reinterpret_cast<std::uintptr_t>(from));                        \
  std::int32_t a = 0;                                                                               \
  std::uint32_t times = 0

/// Takes what products of vectors take, 16 inputs of 8 bits or 8 of 16.
inline void take_least_of_products(std::uint32_t products, std::byte* from) noexcept {
  HEED_BEGIN;
  HEED_TAKE(products, "vmladava.s8 %[a], q0, q2\n");
  HEED_TAKE(products / least_moves.products * least_moves.count, HEED_LOAD);
}

/// Rows [rows, inputs] that are made, and then read by what has to know of all of it: what has no register.
inline void take_least_of_rest_of_row(std::uint32_t rows, std::uint32_t inputs, std::byte* from) noexcept {
  HEED_BEGIN;
  const std::uint32_t vectors = (inputs + 3) / 4;
  const std::uint32_t rest = vectors > 8 ? vectors - 8 : 0;
  HEED_TAKE(rows * rest, HEED_STORE HEED_LOAD);
}

/// Numbers that are rounded to 8 bits: the greatest, a product, a sum, and where they go; a row's two scales, one of
/// them stored.
inline void take_least_of_rounding(std::uint32_t rows, std::uint32_t inputs, std::byte* from) noexcept {
  HEED_BEGIN;
  HEED_TAKE(rows * inputs / 4,
            "vmax.u32 q2, q2, q0\n" "vmul.f32 q0, q0, %[factor]\n" "vadd.f32 q0, q0, %[factor]\n"
            "vstrb.32 q0, [%[from]]\n");
  HEED_TAKE(rows, "vdiv.f32 s0, s1, s2\n" "vmul.f32 s1, s1, s2\n" "vstr s1, [%[from]]\n");
  take_least_of_rest_of_row(rows, inputs, from);
}

/// Products, and outputs with a bias that stay in a register; scales and biases come once.
inline void take_least_of_outputs(std::uint32_t rows, std::uint32_t inputs, std::uint32_t outputs,
                                  std::byte* from) noexcept {
  HEED_BEGIN;
  const std::uint32_t vectors = (inputs + 15) / 16 * outputs;
  take_least_of_products(rows * vectors, from);
  HEED_TAKE(vectors, "veor q0, q0, q1\n");
  HEED_TAKE(rows * outputs / 4,
            "vcvt.f32.s32 q0, q0\n" "vmul.f32 q1, q1, %[factor]\n" "vmul.f32 q0, q0, q1\n" "vadd.f32 q0, q0, q1\n");
  HEED_TAKE(outputs / 4, HEED_LOAD HEED_LOAD);
}

/// Rounds, multiplies and makes outputs as often as `rows` by `inputs` numbers and `outputs` ask for; what comes of it is
/// nothing. True: there is such a count, of what board_count() says less of_loops. `from` has 64 bytes.
[[nodiscard]] inline bool take_least(std::uint32_t rows, std::uint32_t inputs, std::uint32_t outputs,
                                     std::byte* from) noexcept {
  HEED_BEGIN;
  take_least_of_rounding(rows, inputs, from);
  HEED_TAKE(rows * outputs / 4, HEED_STORE);
  if (rows > 1) {
    take_least_of_outputs(rows, inputs, outputs, from);
    return true;
  }
  // Every weight comes for itself: four words, and even ones have 128 added.
  HEED_TAKE(inputs / 16 * outputs, "vldrw.u32 q0, [%q[at]]\n" "veor q0, q0, q1\n" "vmladava.s8 %[a], q0, q2\n");
  HEED_TAKE(outputs / 4,
            HEED_LOAD HEED_LOAD "vmov q1[2], q1[0], %[a], %[a]\n" "vmov q1[3], q1[1], %[a], %[a]\n"
            "vcvt.f32.s32 q1, q1\n" "vmul.f32 q0, q0, %[factor]\n" "vmul.f32 q1, q1, q0\n" "vadd.f32 q1, q1, q0\n");
  return true;
}

// Of eight scores: the greatest, weights as heed defines them, their sum, times the scales of values, and the greatest
// of that.
#define HEED_TO_STEPS "vsub.f32 q0, q0, q1\n" "vmin.u32 q0, q0, q1\n" "vadd.f32 q0, q0, q1\n"
#define HEED_WEIGH "vcvt.f32.u32 q0, q0, #14\n" "vpt.f32 ne, q0, zr\n" "vmult.f32 q0, q0, q1\n" "vmax.u32 q2, q2, q0\n"
#define HEED_SOFTMAX                                                                                          \
  "vmaxnm.f32 q2, q2, q0\n" "vmaxnm.f32 q2, q2, q0\n" HEED_TO_STEPS HEED_TO_STEPS                            \
  "vmovnt.i32 q0, q1\n" "vshr.s16 q1, q0, #8\n" "vbic.i16 q0, #0xff00\n" "vmul.i16 q2, q0, q1\n"             \
  "vmul.i16 q0, q0, q1\n" "vadd.i16 q2, q2, q1\n" "vadd.i16 q0, q0, q1\n" "vmulh.s16 q0, q0, q2\n"           \
  "vadd.i16 q0, q0, q1\n" "vshl.u16 q0, q0, q1\n" "vaddva.u16 %[a], q0\n" "vmovlt.u16 q1, q0\n"              \
  "vmovlb.u16 q0, q0\n" HEED_WEIGH HEED_WEIGH
// Of eight weights: words of 16 bits.
#define HEED_ROUND_WEIGHT "vmul.f32 q0, q0, %[factor]\n" "vadd.f32 q0, q0, %[factor]\n"
#define HEED_EIGHT_WEIGHTS                                                                                    \
  HEED_ROUND_WEIGHT HEED_ROUND_WEIGHT "vmovnt.i32 q0, q1\n" "vstrh.16 q0, [%[from]]\n"
#define HEED_GELU                                                                                             \
  "vmul.f32 q1, q0, %[factor]\n" "vminnma.f32 q1, q0\n" "vcvtn.u32.f32 q1, q1\n"                           \
  "vldrh.u32 q2, [%[from]]\n" "vptt.f32 lt, q0, zr\n" "vsubt.i32 q2, q1, q2\n" "vmint.u32 q0, q0, q1\n"      \
  "vcvt.f32.u32 q2, q2, #13\n" "vmul.f32 q0, q0, q2\n"
// What a block adds to, the mean of that, of its squares, and the norm, which the next block adds to.
#define HEED_NORM                                                                                             \
  HEED_LOAD "vadd.f32 q0, q0, q1\n" "vadd.f32 q2, q2, q0\n" "vsub.f32 q0, q0, %[factor]\n"                  \
  "vfma.f32 q2, q0, q0\n" "vmul.f32 q0, q0, %[factor]\n" "vfma.f32 q2, q0, q1\n" HEED_STORE
#define HEED_NORM_SCALARS                                                                                     \
  "vdiv.f32 s0, s1, s2\n" "vdiv.f32 s0, s1, s2\n" "vadd.f32 s0, s1, s2\n" "vsqrt.f32 s0, s1\n" "vdiv.f32 s0, s1, s2\n"
// Four channels of a key or a value: their greatest magnitude, and themselves over a scale.
#define HEED_APPEND                                                                                           \
  "vmax.u32 q2, q2, q0\n" "vdiv.f32 s0, s0, s4\n" "vdiv.f32 s1, s1, s4\n" "vdiv.f32 s2, s2, s4\n"            \
  "vdiv.f32 s3, s3, s4\n" "vadd.f32 q0, q0, %[factor]\n" "vstrb.32 q0, [%[from]]\n"

/// Keys and values of `tokens`, from the rows that they are projected from, which are rounded once.
inline void take_least_of_keys(std::uint32_t tokens, std::uint32_t dim, std::byte* from) noexcept {
  HEED_BEGIN;
  take_least_of_rounding(tokens, dim, from);
  take_least_of_outputs(tokens, dim, 2 * dim, from);
  HEED_TAKE(2 * tokens * dim / 4, HEED_APPEND);
  HEED_TAKE(2 * tokens, "vdiv.f32 s0, s1, s2\n" "vstr s0, [%[from]]\n");
  take_least_of_rest_of_row(2 * tokens, dim, from);
}

/// A block of an encoder with norms after its branches, one head, a GELU, and a bias for each matrix.
inline void take_least_of_block(const Encoder& encoder, std::byte* from) noexcept {
  HEED_BEGIN;
  const std::uint32_t tokens = encoder.tokens;
  const std::uint32_t dim = encoder.model_dim;
  const std::uint32_t weights = tokens * ((tokens + 7) / 8 * 8);
  take_least_of_keys(tokens, dim, from);
  take_least_of_outputs(tokens, dim, dim, from);
  take_least_of_rounding(tokens, dim, from);
  take_least_of_outputs(tokens, dim, (tokens + 3) / 4 * 4, from);
  HEED_TAKE(weights / 8, HEED_SOFTMAX);
  HEED_TAKE(weights / 8, HEED_EIGHT_WEIGHTS);
  take_least_of_rest_of_row(2 * tokens, tokens, from);
  take_least_of_products(weights / 8 * dim, from);
  HEED_TAKE(tokens * dim / 4, "vcvt.f32.s32 q0, q0\n" "vmul.f32 q0, q0, %[factor]\n" "vfma.f32 q1, q0, %[factor]\n");
  HEED_TAKE(tokens, "vdiv.f32 s0, s1, s2\n");
  take_least_of_rounding(tokens, dim, from);
  take_least_of_outputs(tokens, dim, dim, from);
  take_least_of_rounding(tokens, dim, from);
  take_least_of_outputs(tokens, dim, encoder.mlp_dim, from);
  HEED_TAKE(tokens * encoder.mlp_dim / 4, HEED_GELU);
  take_least_of_rounding(tokens, encoder.mlp_dim, from);
  take_least_of_outputs(tokens, encoder.mlp_dim, dim, from);
  HEED_TAKE(2 * tokens * dim / 4, HEED_NORM);
  HEED_TAKE(2 * tokens, HEED_NORM_SCALARS);
  take_least_of_rest_of_row(2 * tokens, dim, from);
}

/// All of it. Of the last block, keys and values: one token's part of the rest is left out. True: that is known.
[[nodiscard]] inline bool take_least_of_encoder(const Encoder& encoder, std::byte* from) noexcept {
  take_least_of_rounding(encoder.tokens - 1, encoder.features, from);
  take_least_of_outputs(encoder.tokens - 1, encoder.features, encoder.model_dim, from);
  for (std::uint32_t block = 1; block < encoder.blocks; ++block) take_least_of_block(encoder, from);
  take_least_of_keys(encoder.tokens, encoder.model_dim, from);
  return true;
}

// clang-format on
#undef HEED_FOUR_TIMES
#undef HEED_TAKE
#undef HEED_LOAD
#undef HEED_STORE
#undef HEED_BEGIN
#undef HEED_TO_STEPS
#undef HEED_WEIGH
#undef HEED_SOFTMAX
#undef HEED_ROUND_WEIGHT
#undef HEED_EIGHT_WEIGHTS
#undef HEED_GELU
#undef HEED_NORM
#undef HEED_NORM_SCALARS
#undef HEED_APPEND

#elif !defined(__aarch64__)

/// No such count is known.
[[nodiscard]] inline bool take_least(std::uint32_t /*rows*/, std::uint32_t /*inputs*/, std::uint32_t /*outputs*/,
                                     std::byte* /*from*/) noexcept {
  return false;
}

[[nodiscard]] inline bool take_least_of_encoder(const Encoder& /*encoder*/, std::byte* /*from*/) noexcept {
  return false;
}

#endif

}  // namespace heed::bench
