// SPDX-License-Identifier: MIT
//
// A row of floats times a number, four at a time in a loop of the core's.
#pragma once

#include <arm_mve.h>

#include <cstdint>

#include "../detail/quad_loops.hpp"

namespace heed::detail {

/// to = from * factor, `count` numbers each, the same or apart.
inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  asm volatile(HEED_EACH_QUAD("vldrw.u32 q0, [%[x]], #16\n"
                              "vmul.f32 q0, q0, %[factor]\n"
                              "vstrw.32 q0, [%[to]], #16\n")
               : [x] "+r"(from), [to] "+r"(to)
               : HEED_QUADS_OF(count), [factor] "r"(factor)
               : "memory", "lr", "q0");
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  asm volatile(HEED_EACH_QUAD("vldrw.u32 q0, [%[x]], #16\n"
                              "vmov.i32 q1, #0\n"
                              "vfma.f32 q1, q0, %[factor]\n"
                              "vstrw.32 q1, [%[to]], #16\n")
               : [x] "+r"(from), [to] "+r"(to)
               : HEED_QUADS_OF(count), [factor] "r"(factor)
               : "memory", "lr", "q0", "q1");
}

}  // namespace heed::detail
