// SPDX-License-Identifier: MIT
//
// From sums of integers to sixteen outputs of a row, four at a time: compilers load and store them one by one.
#pragma once

#include <cstdint>

namespace heed::detail {

// clang-format off
#define HEED_SCALE_SUMS                   \
  "vldmia %[sums]!, {s0-s3}\n"            \
  "vldmia %[scales]!, {s4-s7}\n"          \
  "vcvt.f32.s32 s0, s0\n"                 \
  "vcvt.f32.s32 s1, s1\n"                 \
  "vcvt.f32.s32 s2, s2\n"                 \
  "vcvt.f32.s32 s3, s3\n"                 \
  "vmul.f32 s4, s4, %[row_scale]\n"       \
  "vmul.f32 s5, s5, %[row_scale]\n"       \
  "vmul.f32 s6, s6, %[row_scale]\n"       \
  "vmul.f32 s7, s7, %[row_scale]\n"       \
  "vmul.f32 s0, s0, s4\n"                 \
  "vmul.f32 s1, s1, s5\n"                 \
  "vmul.f32 s2, s2, s6\n"                 \
  "vmul.f32 s3, s3, s7\n"
#define HEED_EACH_FOUR(...) "1:\n" __VA_ARGS__ "subs %[fours], #1\n" "bne 1b\n"

/// y = start + float(sum) * (scale * row_scale), of sixteen outputs; `start` may be y.
inline void add_sums(const std::int32_t* sums, const float* scales, float row_scale, const float* start,
                     float* y) noexcept {
  std::uint32_t fours = 4;
  asm volatile(HEED_EACH_FOUR(HEED_SCALE_SUMS
      "vldmia %[start]!, {s4-s7}\n"
      "vadd.f32 s0, s4, s0\n"
      "vadd.f32 s1, s5, s1\n"
      "vadd.f32 s2, s6, s2\n"
      "vadd.f32 s3, s7, s3\n"
      "vstmia %[y]!, {s0-s3}\n")
      : [sums] "+r"(sums), [scales] "+r"(scales), [start] "+r"(start), [y] "+r"(y), [fours] "+r"(fours)
      : [row_scale] "t"(row_scale)
      : "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
}

/// y = float(sum) * (scale * row_scale), of sixteen outputs.
inline void scale_sums(const std::int32_t* sums, const float* scales, float row_scale, float* y) noexcept {
  std::uint32_t fours = 4;
  asm volatile(HEED_EACH_FOUR(HEED_SCALE_SUMS "vstmia %[y]!, {s0-s3}\n")
      : [sums] "+r"(sums), [scales] "+r"(scales), [y] "+r"(y), [fours] "+r"(fours)
      : [row_scale] "t"(row_scale)
      : "memory", "cc", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
}
// clang-format on
#undef HEED_SCALE_SUMS
#undef HEED_EACH_FOUR

}  // namespace heed::detail
