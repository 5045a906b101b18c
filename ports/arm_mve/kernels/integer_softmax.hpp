// SPDX-License-Identifier: MIT
//
// The weights of a softmax as integers of 14 bits, four lanes at a time, as the shared kernel defines them. Their sums
// are exact, in whatever order.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <port.hpp>

#include "../detail/quad_memory.hpp"
#include "common/kernel_contract.hpp"

namespace heed::detail {

/// With t = 256 (score - maximum), rounded, and g = t % 256, where n = -1 - (t >> 8) and f = 256 - g, the shared
/// kernel's weight is, in units of 2^-14 and numbers of 16 bits,
///   (2^14 + ((128 g - 2^15) (22 g + 2^14) >> 16)) >> n
/// which is the same at f = 256 as at f = 0 of the next octave.
struct IntegerWeightConstants {
  float to_eighth_bit = 49152.0F + 1.0F;  ///< the low bits of what this is added to are t + 256
  std::int32_t slope = 22;
  std::int32_t one = 1 << 14;
  std::int32_t least = -(1 << 15);
};
inline constexpr IntegerWeightConstants integer_weight_constants;

[[gnu::always_inline]] inline void hide_scores(float* scores, std::uint32_t count) noexcept {
  for (; count > 4; count -= 4, scores += 4) port::store_quad(scores, vdupq_n_f32(minus_infinity));
  port::store_quad(scores, vdupq_n_f32(minus_infinity), vctp32q(count));
}

/// The greatest of the scores [keys] in `seen`, which is not empty, or `lowest`. Others in the panels that it touches
/// are lost.
[[nodiscard]] inline float greatest_score(float* scores, KeyRange seen) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const auto last = static_cast<std::uint32_t>(round_up(seen.end, panel_width));
  hide_scores(scores + first, seen.begin - first);
  hide_scores(scores + seen.end, last - seen.end);
  float32x4_t greatest = vdupq_n_f32(lowest);
  const float* from = scores + first;
  asm volatile(
      "dls lr, %[panels]\n"
      "1:\n"
      "vldrw.u32 q0, [%[from]], #16\n"
      "vmaxnm.f32 %q[greatest], %q[greatest], q0\n"
      "vldrw.u32 q0, [%[from]], #16\n"
      "vmaxnm.f32 %q[greatest], %q[greatest], q0\n"
      "vldrw.u32 q0, [%[from]], #16\n"
      "vmaxnm.f32 %q[greatest], %q[greatest], q0\n"
      "vldrw.u32 q0, [%[from]], #16\n"
      "vmaxnm.f32 %q[greatest], %q[greatest], q0\n"
      "le lr, 1b\n"
      : [from] "+r"(from), [greatest] "+w"(greatest)
      : [panels] "r"((last - first) / panel_width)
      : "memory", "lr", "q0");
  return vmaxnmvq_f32(lowest, greatest);
}

// clang-format off
// t + 256 in the low half of the words of `to`.
#define HEED_TO_EIGHTH_BITS(to, at)             \
  "vldrw.u32 " to ", [%[scores], #" at "]\n"  \
  "vsub.f32 " to ", " to ", %[maximum]\n"     \
  "vmin.u32 " to ", " to ", %q[least]\n"      \
  "vadd.f32 " to ", " to ", r3\n"             \
  "vmax.u32 %q[bits], %q[bits], " to "\n"
#define HEED_WEIGH(weights)                     \
  "vcvt.f32.u32 " weights ", " weights ", #14\n" \
  "vldrw.u32 q2, [%[scales]], #16\n"          \
  "vpt.f32 ne, " weights ", zr\n"             \
  "vmult.f32 " weights ", " weights ", q2\n"  \
  "vstrw.32 " weights ", [%[scores]], #16\n"  \
  "vmax.u32 %q[greatest], %q[greatest], " weights "\n"

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0. `seen`, which is not empty, is all that greatest_score() was asked for, or the part of
/// it that lies in some panels. A difference of scores is never another NaN than the default one, which an unsigned
/// comparison of the bits takes for less than any negative number, and for more than what others become; and of the
/// bits of p, those of NaN are the greatest. A block's sum of weights has at most 24 bits.
inline void weigh_scores(float* scores, KeyRange seen, const float* scales, WeighedRow& row) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const std::uint32_t panels = (seen.end - first + panel_width - 1) / panel_width;
  scores += first;
  scales += first;
  std::uint32_t total = 0;
  uint32x4_t greatest = vdupq_n_u32(0);
  uint32x4_t bits = greatest;
  asm volatile(
      "ldm %[constants], {r3, r5, r6, r8}\n"
      "dls lr, %[eights]\n"
      "1:\n"
      HEED_TO_EIGHTH_BITS("q0", "0")
      HEED_TO_EIGHTH_BITS("q1", "16")
      "vmovnt.i32 q0, q1\n"
      "vshr.s16 q1, q0, #8\n"
      "vbic.i16 q0, #0xff00\n"
      "vmul.i16 q2, q0, r5\n"
      "vmul.i16 q0, q0, %q[factor]\n"
      "vadd.i16 q2, q2, r6\n"
      "vadd.i16 q0, q0, r8\n"
      "vmulh.s16 q0, q0, q2\n"
      "vadd.i16 q0, q0, r6\n"
      "vshl.u16 q0, q0, q1\n"
      "vaddva.u16 %[total], q0\n"
      "vmovlt.u16 q1, q0\n"
      "vmovlb.u16 q0, q0\n"
      HEED_WEIGH("q0")
      HEED_WEIGH("q1")
      "le lr, 1b\n"
      : [scores] "+r"(scores), [scales] "+r"(scales), [total] "+Te"(total), [greatest] "+w"(greatest),
        [bits] "+w"(bits)
      : [eights] "r"(panels * 2), [maximum] "r"(row.maximum), [least] "w"(vdupq_n_f32(-16.0F + 0x1p-8F)),
        [factor] "w"(vdupq_n_u16(128)), [constants] "r"(&integer_weight_constants)
      : "memory", "p0", "lr", "r3", "r5", "r6", "r8", "q0", "q1", "q2");
  constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
  constexpr std::uint32_t infinity = 0x7F800000U;
  row.sum += vmaxvq_u32(0, bits) < infinity ? static_cast<float>(total) * 0x1p-14F : no_number;
  const std::uint32_t most = vmaxvq_u32(std::bit_cast<std::uint32_t>(row.greatest), greatest);
  row.greatest = most < infinity && row.sum == row.sum ? std::bit_cast<float>(most) : no_number;
}

// clang-format on
#undef HEED_TO_EIGHTH_BITS
#undef HEED_WEIGH

}  // namespace heed::detail
