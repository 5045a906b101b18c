// SPDX-License-Identifier: MIT
//
// A row of a residual stream, four numbers at a time in a loop of the core's.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>

namespace heed::detail {

#define HEED_FOUR_MORE          \
  "vldrw.u32 q0, [%[to]]\n"     \
  "vldrw.u32 q1, [%[x]], #16\n" \
  "vadd.f32 q0, q0, q1\n"       \
  "vstrw.32 q0, [%[to]], #16\n"

/// to += from, `count` numbers each.
inline void add_row(const float* from, std::size_t count, float* to) noexcept {
  asm volatile(
      "wls lr, %[sixteens], 2f\n"
      "1:\n" HEED_FOUR_MORE HEED_FOUR_MORE HEED_FOUR_MORE HEED_FOUR_MORE
      "le lr, 1b\n"
      "2:\n"
      "wlstp.32 lr, %[left], 4f\n"
      "3:\n" HEED_FOUR_MORE
      "letp lr, 3b\n"
      "4:\n"
      : [x] "+r"(from), [to] "+r"(to)
      : [sixteens] "r"(count / 16), [left] "r"(count % 16)
      : "memory", "lr", "q0", "q1");
}
#undef HEED_FOUR_MORE

}  // namespace heed::detail
