// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// maxima [16] = the greater of them and `scores` [16], four at a time.
[[gnu::noinline]] inline void join_maxima(const float* scores, float* maxima) noexcept {
  const float* const end = scores + port::lanes;
  asm volatile(
      "1:\n"
      "vldmia %[scores]!, {s0-s3}\n"
      "vldmia %[maxima], {s4-s7}\n"
      "vcmp.f32 s4, s0\n"
      "vmrs APSR_nzcv, fpscr\n"
      "it le\n"
      "vmovle.f32 s4, s0\n"
      "vcmp.f32 s5, s1\n"
      "vmrs APSR_nzcv, fpscr\n"
      "it le\n"
      "vmovle.f32 s5, s1\n"
      "vcmp.f32 s6, s2\n"
      "vmrs APSR_nzcv, fpscr\n"
      "it le\n"
      "vmovle.f32 s6, s2\n"
      "vcmp.f32 s7, s3\n"
      "vmrs APSR_nzcv, fpscr\n"
      "it le\n"
      "vmovle.f32 s7, s3\n"
      "vstmia %[maxima]!, {s4-s7}\n"
      "cmp %[scores], %[end]\n"
      "bne 1b\n"
      : [scores] "+&r"(scores), [maxima] "+&r"(maxima)
      : [end] "r"(end)
      : "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
}

}  // namespace heed::detail
