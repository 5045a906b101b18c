// SPDX-License-Identifier: MIT
//
// A row of floats times a number, four at a time in a loop of the core's.
#pragma once

#include <arm_mve.h>

#include <cstdint>

namespace heed::detail {

#define HEED_PRODUCTS            \
  "vldrw.u32 q0, [%[x]], #16\n"  \
  "vmul.f32 q0, q0, %[factor]\n" \
  "vstrw.32 q0, [%[to]], #16\n"
#define HEED_UNSIGNED_ZEROS      \
  "vldrw.u32 q0, [%[x]], #16\n"  \
  "vmov.i32 q1, #0\n"            \
  "vfma.f32 q1, q0, %[factor]\n" \
  "vstrw.32 q1, [%[to]], #16\n"
#define HEED_ALL_OF(...)                                                         \
  asm volatile(                                                                  \
      "wls lr, %[sixteens], 2f\n"                                                \
      "1:\n" __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__                     \
      "le lr, 1b\n"                                                              \
      "2:\n"                                                                     \
      "wlstp.32 lr, %[left], 4f\n"                                               \
      "3:\n" __VA_ARGS__                                                         \
      "letp lr, 3b\n"                                                            \
      "4:\n"                                                                     \
      : [x] "+r"(from), [to] "+r"(to)                                            \
      : [sixteens] "r"(count / 16), [left] "r"(count % 16), [factor] "r"(factor) \
      : "memory", "lr", "q0", "q1")

/// to = from * factor, `count` numbers each, the same or apart.
inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  HEED_ALL_OF(HEED_PRODUCTS);
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  HEED_ALL_OF(HEED_UNSIGNED_ZEROS);
}

#undef HEED_PRODUCTS
#undef HEED_UNSIGNED_ZEROS
#undef HEED_ALL_OF

}  // namespace heed::detail
