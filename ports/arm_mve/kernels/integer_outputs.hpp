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

// A row's scale stays in a core register, and its outputs' place.
#define HEED_ADDED_OF_ROW(sums_at, at, scale, y) \
  "vldrw.u32 q2, [%[sums], #" sums_at " + " at "]\n" \
  "vmul.f32 q3, q0, " scale "\n"          \
  "vcvt.f32.s32 q2, q2\n"                 \
  "vmul.f32 q2, q2, q3\n"                 \
  "vadd.f32 q2, q1, q2\n"                 \
  "vstrw.32 q2, [" y ", #" at "]\n"
#define HEED_ADDED_OF_ROWS(at)            \
  "vldrw.u32 q0, [%[scales], #" at "]\n" \
  "vldrw.u32 q1, [%[start], #" at "]\n"  \
  HEED_ADDED_OF_ROW("0", at, "%[scale0]", "%[y0]") \
  HEED_ADDED_OF_ROW("64", at, "%[scale1]", "%[y1]") \
  HEED_ADDED_OF_ROW("128", at, "%[scale2]", "%[y2]") \
  HEED_ADDED_OF_ROW("192", at, "%[scale3]", "%[y3]")

/// add_sums() of four rows, whose sums [4, 16] follow each other; the scale of a row lies `row_bytes` from the one
/// before, its outputs `y_row` floats.
[[gnu::always_inline]] inline void add_sums_of_four(const std::int32_t* sums, const float* scales,
                                                    const std::byte* row, std::size_t row_bytes, const float* start,
                                                    float* y, std::ptrdiff_t y_row) noexcept {
  const auto scale = [row, row_bytes](std::size_t r) noexcept {
    return *reinterpret_cast<const float*>(row + r * row_bytes);
  };
  asm volatile(HEED_ADDED_OF_ROWS("0") HEED_ADDED_OF_ROWS("16") HEED_ADDED_OF_ROWS("32") HEED_ADDED_OF_ROWS("48")
               :
               : [sums] "r"(sums), [scales] "r"(scales), [start] "r"(start), [scale0] "r"(scale(0)),
                 [scale1] "r"(scale(1)), [scale2] "r"(scale(2)), [scale3] "r"(scale(3)), [y0] "r"(y),
                 [y1] "r"(y + y_row), [y2] "r"(y + 2 * y_row), [y3] "r"(y + 3 * y_row)
               : "memory", "q0", "q1", "q2", "q3");
}

// clang-format on
#undef HEED_ADDED_OF_ROW
#undef HEED_ADDED_OF_ROWS
#undef HEED_SCALED
#undef HEED_ADDED
#undef HEED_STORED

}  // namespace heed::detail
