// SPDX-License-Identifier: MIT
//
// Sixteen numbers of a row of floats that is to be rounded.
#pragma once

#include <arm_neon.h>

namespace heed::detail {

struct SixteenFloats {
  float32x4_t fours[4];
};

/// From where a pointer is, which moves on. A set of registers for each of two rows that are loaded in turn.
template <int Set = 0>
[[gnu::always_inline]] inline SixteenFloats load_sixteen(const float*& from) noexcept {
#ifdef __aarch64__
  // In assembly, because gcc would copy what one load brings.
  if constexpr (Set == 0) {
    register float32x4_t four0 asm("v0");
    register float32x4_t four1 asm("v1");
    register float32x4_t four2 asm("v2");
    register float32x4_t four3 asm("v3");
    asm volatile("ld1 {%0.4s, %1.4s, %2.4s, %3.4s}, [%4], #64"
                 : "=w"(four0), "=w"(four1), "=w"(four2), "=w"(four3), "+r"(from)::"memory");
    return {{four0, four1, four2, four3}};
  } else {
    register float32x4_t four0 asm("v4");
    register float32x4_t four1 asm("v5");
    register float32x4_t four2 asm("v6");
    register float32x4_t four3 asm("v7");
    asm volatile("ld1 {%0.4s, %1.4s, %2.4s, %3.4s}, [%4], #64"
                 : "=w"(four0), "=w"(four1), "=w"(four2), "=w"(four3), "+r"(from)::"memory");
    return {{four0, four1, four2, four3}};
  }
#else
  const SixteenFloats all{{vld1q_f32(from), vld1q_f32(from + 4), vld1q_f32(from + 8), vld1q_f32(from + 12)}};
  from += 16;
  return all;
#endif
}

}  // namespace heed::detail
