// SPDX-License-Identifier: MIT
//
// Sums of weights and values in integers, piece of the keys after piece, and what they come to.
#pragma once

#include <arm_mve.h>

#include <cstdint>

namespace heed::detail {

/// Where the sums of a piece, as integers, are added to those of the pieces before it, and the last one's become
/// floats.
struct ValueSums {
  float* to;            ///< [16]; what is not of the first `count` may be anything
  std::uint32_t count;  ///< at most 16
  bool first;
  bool last;

  void add(const std::int32_t* sums, float scale) const noexcept {
    auto* const whole = reinterpret_cast<std::int32_t*>(to);
    for (std::uint32_t i = 0; i < count; i += 4) {
      int32x4_t sum = vld1q_s32(sums + i);
      if (!first) sum = vaddq_s32(sum, vld1q_s32(whole + i));
      if (last) sum = vreinterpretq_s32_f32(vmulq_n_f32(vcvtq_f32_s32(sum), scale));
      vst1q_s32(whole + i, sum);
    }
  }
};

}  // namespace heed::detail
