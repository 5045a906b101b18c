// SPDX-License-Identifier: MIT
//
// A row of a residual stream, four numbers at a time in a loop of the core's.
#pragma once

#include <arm_mve.h>

#include <cstddef>

#include "../detail/quad_loops.hpp"

namespace heed::detail {

/// to += from, `count` numbers each.
inline void add_row(const float* from, std::size_t count, float* to) noexcept {
  asm volatile(HEED_EACH_QUAD("vldrw.u32 q0, [%[to]]\n"
                              "vldrw.u32 q1, [%[x]], #16\n"
                              "vadd.f32 q0, q0, q1\n"
                              "vstrw.32 q0, [%[to]], #16\n")
               : [x] "+r"(from), [to] "+r"(to)
               : HEED_QUADS_OF(count)
               : "memory", "lr", "q0", "q1");
}

}  // namespace heed::detail
