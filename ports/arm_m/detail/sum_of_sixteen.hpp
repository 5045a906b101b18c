// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// The sum of sixteen floats, folded as port::sum does it: lane l and l + 8, then l + 4, l + 2, l + 1.
inline float sum_of_sixteen(const float* totals) noexcept {
  float sum;
  asm("vldmia %[totals], {s0-s15}\n"
      "vadd.f32 s0, s0, s8\n"
      "vadd.f32 s4, s4, s12\n"
      "vadd.f32 s0, s0, s4\n"
      "vadd.f32 s2, s2, s10\n"
      "vadd.f32 s6, s6, s14\n"
      "vadd.f32 s2, s2, s6\n"
      "vadd.f32 s1, s1, s9\n"
      "vadd.f32 s5, s5, s13\n"
      "vadd.f32 s1, s1, s5\n"
      "vadd.f32 s3, s3, s11\n"
      "vadd.f32 s7, s7, s15\n"
      "vadd.f32 s3, s3, s7\n"
      "vadd.f32 s0, s0, s2\n"
      "vadd.f32 s1, s1, s3\n"
      "vadd.f32 %[sum], s0, s1\n"
      : [sum] "=t"(sum)
      : [totals] "r"(totals), "m"(*reinterpret_cast<const float(*)[port::lanes]>(totals))
      : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15");
  return sum;
}

}  // namespace heed::detail
