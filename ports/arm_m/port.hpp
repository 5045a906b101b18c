// SPDX-License-Identifier: MIT
//
// Cortex-M with a single-precision FPU (M4F, M7, M33): 32 registers of one float. The vector is an array, its
// operations are loops that are not inlined, because the code must be small: what is hot works on single floats
// instead, in kernels/.
#pragma once

#include <no_prefetch.hpp>
#include <single_operations.hpp>

#if !defined(__ARM_FEATURE_FMA) || !defined(__thumb2__)
#error \
    "the arm_m port needs a Cortex-M with a floating-point unit: -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard, or newer"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "arm_m";
inline constexpr int lanes = 16;

/// Two rows of eight lanes, or one of sixteen: sixteen sums, eight factors of a row of B, and those of A.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int) noexcept {
  return 1;
}

/// Rounds of a short loop that stand in the code side by side.
#ifdef __OPTIMIZE_SIZE__
inline constexpr int unrolled = 1;
#else
inline constexpr int unrolled = 4;
#endif

/// Whether bits are compared faster than floats, whose flags another instruction fetches; in code for speed.
inline constexpr bool compares_bits = unrolled != 1;

/// Whether a GELU of integers reads a table; in code for speed.
inline constexpr bool has_gaussian_table = unrolled != 1;

inline void copy_lanes(const float* from, float* to) noexcept {
  asm volatile(
      "vldmia %[from], {s0-s15}\n"
      "vstmia %[to], {s0-s15}\n"
      :
      : [from] "r"(from), [to] "r"(to)
      : "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15");
}

/// Copied by two instructions.
struct f32x16 {
  float lane[lanes];

  f32x16() noexcept = default;
  f32x16(const f32x16& other) noexcept { copy_lanes(other.lane, lane); }
  f32x16& operator=(const f32x16& other) noexcept {
    copy_lanes(other.lane, lane);
    return *this;
  }
};

/// One value for each lane.
template <class Function>
[[gnu::always_inline]] inline f32x16 for_each_lane(Function f) noexcept {
  f32x16 result;
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) result.lane[i] = f(i);
  return result;
}

[[gnu::noinline]] inline f32x16 set(float value) noexcept {
  f32x16 result;
  float* lane = result.lane;
  asm volatile(
      "vmov.f32 s0, %[value]\n"
      "vmov.f32 s1, s0\n"
      "vmov.f32 s2, s0\n"
      "vmov.f32 s3, s0\n"
      "vstmia %[lane]!, {s0-s3}\n"
      "vstmia %[lane]!, {s0-s3}\n"
      "vstmia %[lane]!, {s0-s3}\n"
      "vstmia %[lane], {s0-s3}\n"
      : [lane] "+&r"(lane)
      : [value] "t"(value)
      : "memory", "s0", "s1", "s2", "s3");
  return result;
}

inline void store(float* to, const f32x16& v) noexcept {
  copy_lanes(v.lane, to);
}

/// Calls step(x, y, to) for four lanes, which moves all three to the next ones.
template <class Step>
[[gnu::always_inline]] inline f32x16 by_four_lanes(const f32x16& a, const f32x16& b, Step step) noexcept {
  f32x16 result;
  const float* x = a.lane;
  const float* y = b.lane;
  float* to = result.lane;
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; i += 4) step(x, y, to);
  return result;
}

// Queries, outputs and norms pass through these.
#define HEED_FOUR_CLOBBERED "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"
#define HEED_FOUR_LANES(operation)                                                                                  \
  "vldmia %[a]!, {s0-s3}\n"                                                                                         \
  "vldmia %[b]!, {s4-s7}\n" operation " s0, s0, s4\n" operation " s1, s1, s5\n" operation " s2, s2, s6\n" operation \
  " s3, s3, s7\n"                                                                                                   \
  "vstmia %[to]!, {s0-s3}\n"

[[gnu::noinline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return by_four_lanes(a, b, [](const float*& x, const float*& y, float*& to) noexcept {
    asm volatile(HEED_FOUR_LANES("vadd.f32") : [a] "+&r"(x), [b] "+&r"(y), [to] "+&r"(to) : : HEED_FOUR_CLOBBERED);
  });
}

[[gnu::noinline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return by_four_lanes(a, b, [](const float*& x, const float*& y, float*& to) noexcept {
    asm volatile(HEED_FOUR_LANES("vsub.f32") : [a] "+&r"(x), [b] "+&r"(y), [to] "+&r"(to) : : HEED_FOUR_CLOBBERED);
  });
}

[[gnu::noinline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return by_four_lanes(a, b, [](const float*& x, const float*& y, float*& to) noexcept {
    asm volatile(HEED_FOUR_LANES("vmul.f32") : [a] "+&r"(x), [b] "+&r"(y), [to] "+&r"(to) : : HEED_FOUR_CLOBBERED);
  });
}

[[gnu::noinline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  f32x16 result;
  const float* a_lane = a.lane;
  const float* b_lane = b.lane;
  const float* c_lane = c.lane;
  float* lane = result.lane;
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; i += 4) {
    asm volatile(
        "vldmia %[a]!, {s0-s3}\n"
        "vldmia %[b]!, {s4-s7}\n"
        "vldmia %[c]!, {s8-s11}\n"
        "vfma.f32 s8, s0, s4\n"
        "vfma.f32 s9, s1, s5\n"
        "vfma.f32 s10, s2, s6\n"
        "vfma.f32 s11, s3, s7\n"
        "vstmia %[lane]!, {s8-s11}\n"
        : [a] "+&r"(a_lane), [b] "+&r"(b_lane), [c] "+&r"(c_lane), [lane] "+&r"(lane)
        :
        : HEED_FOUR_CLOBBERED, "s8", "s9", "s10", "s11");
  }
  return result;
}
#undef HEED_FOUR_LANES
#undef HEED_FOUR_CLOBBERED

}  // namespace heed_own_code
}  // namespace heed::port

#include <single_floats/lanes.hpp>
