// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/quad_memory.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

// clang-format off
#define HEED_SCALED(at)                 \
  "vldrw.u32 q0, [%[sums], #" at "]\n"  \
  "vldrw.u32 q1, [%[scales], #" at "]\n"\
  "vcvt.f32.s32 q0, q0\n"               \
  "vmul.f32 q1, q1, %[scale]\n"         \
  "vmul.f32 q0, q0, q1\n"
#define HEED_ADDED(at)                  \
  HEED_SCALED(at)                       \
  "vldrw.u32 q1, [%[start], #" at "]\n" \
  "vadd.f32 q0, q1, q0\n"               \
  "vstrw.32 q0, [%[y], #" at "]\n"
#define HEED_STORED(at)                 \
  HEED_SCALED(at)                       \
  "vstrw.32 q0, [%[y], #" at "]\n"

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
[[gnu::always_inline]] inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                            const float* start, float* y) noexcept {
  asm volatile(HEED_ADDED("0") HEED_ADDED("16") HEED_ADDED("32") HEED_ADDED("48")
               :
               : [sums] "r"(sums), [scales] "r"(scales), [scale] "r"(row_scale), [start] "r"(start), [y] "r"(y)
               : "memory", "q0", "q1");
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
[[gnu::always_inline]] inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale,
                                              float* y) noexcept {
  asm volatile(HEED_STORED("0") HEED_STORED("16") HEED_STORED("32") HEED_STORED("48")
               :
               : [sums] "r"(sums), [scales] "r"(scales), [scale] "r"(row_scale), [y] "r"(y)
               : "memory", "q0", "q1");
}

// clang-format on
#undef HEED_SCALED
#undef HEED_ADDED
#undef HEED_STORED

}  // namespace heed::detail
