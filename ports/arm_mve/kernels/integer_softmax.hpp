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

/// The shared kernel's constants, the slope and its product with the fraction negated. Where that adds almost 1/2 and
/// rounds to nearest, what is rounded up here.
struct IntegerWeightConstants {
  float to_eighth_bit = 49152.0F;
  float shift = exp2_shift;
  float slope = 2816.0F * 0x1p-14F;
  float offset = -11008.0F * 0x1p-14F;
  float one = 1.0F + 0x1p-23F;
  float cut = -0x1p-15F;
  float to_fourteenth_bit = 768.0F;
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

/// Scores become p = weight * scale, or 0 where the weight is 0, whatever the scale; those in the panels that `seen`
/// touches beside it become 0. `seen`, which is not empty, is all that greatest_score() was asked for, or the part of
/// it that lies in some panels. A difference of scores is never another NaN than the default one, which an unsigned
/// comparison of the bits takes for less than any negative number; and of the bits of p, those of NaN are the greatest.
inline void weigh_scores(float* scores, KeyRange seen, const float* scales, WeighedRow& row) noexcept {
  const std::uint32_t first = seen.begin / panel_width * panel_width;
  const std::uint32_t quads = (seen.end - first + panel_width - 1) / panel_width * 4;
  scores += first;
  scales += first;
  float32x4_t total = vdupq_n_f32(0.0F);
  uint32x4_t greatest = vdupq_n_u32(0);
  asm volatile(
      "ldm %[constants], {r3, r5, r6, r8, r9, r10, r11}\n"
      "dls lr, %[quads]\n"
      "1:\n"
      "vldrw.u32 q0, [%[scores]]\n"
      "vsub.f32 q0, q0, %[maximum]\n"
      "vmin.u32 q0, q0, %q[least]\n"
      "vadd.f32 q1, q0, r3\n"
      "vsub.f32 q1, q1, r3\n"
      "vrintp.f32 q2, q1\n"
      "vadd.f32 q3, q2, r5\n"
      "vshl.i32 q3, q3, #23\n"
      "vsub.f32 q2, q2, q1\n"
      "vmul.f32 q1, q2, r6\n"
      "vadd.f32 q1, q1, r8\n"
      "vfmas.f32 q1, q2, r9\n"
      "vfmas.f32 q3, q1, r10\n"
      "vldrw.u32 q1, [%[scales]], #16\n"
      "vadd.f32 q3, q3, r11\n"
      "vsub.f32 q3, q3, r11\n"
      "vadd.f32 %q[total], %q[total], q3\n"
      "vpt.f32 ne, q3, zr\n"
      "vmult.f32 q3, q3, q1\n"
      "vstrw.32 q3, [%[scores]], #16\n"
      "vmax.u32 %q[greatest], %q[greatest], q3\n"
      "le lr, 1b\n"
      : [scores] "+r"(scores), [scales] "+r"(scales), [total] "+w"(total), [greatest] "+w"(greatest)
      : [quads] "r"(quads), [maximum] "r"(row.maximum), [least] "w"(vdupq_n_f32(-16.0F + 0x1p-8F)),
        [constants] "r"(&integer_weight_constants)
      : "memory", "p0", "lr", "r3", "r5", "r6", "r8", "r9", "r10", "r11", "q0", "q1", "q2", "q3");
  row.sum +=
      (vgetq_lane_f32(total, 0) + vgetq_lane_f32(total, 2)) + (vgetq_lane_f32(total, 1) + vgetq_lane_f32(total, 3));
  const std::uint32_t bits = vmaxvq_u32(std::bit_cast<std::uint32_t>(row.greatest), greatest);
  row.greatest = bits < 0x7F800000U ? std::bit_cast<float>(bits) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
