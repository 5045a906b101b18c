// SPDX-License-Identifier: MIT
//
// Cortex-M with a single-precision FPU (M4F, M7, M33): 32 registers of one float. The vector is an array, its
// operations are loops that are not inlined, because the code must be small: what is hot works on single floats
// instead, in kernels/.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if !defined(__ARM_FEATURE_FMA) || !defined(__thumb2__)
#error \
    "the arm_m port needs a Cortex-M with a floating-point unit: -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard, or newer"
#endif

namespace heed::port {

inline constexpr const char* name = "arm_m";
inline constexpr int lanes = 16;

/// Two rows of eight lanes, or one of sixteen: sixteen sums, eight factors of a row of B, and those of A.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int) noexcept {
  return 1;
}

inline constexpr bool prefetches = false;
inline void prefetch(const float*, std::ptrdiff_t) noexcept {}

struct f32x16 {
  float lane[lanes];
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
  return for_each_lane([&](int) noexcept { return value; });
}

[[gnu::noinline]] inline f32x16 load_partial(const float* from, int count) noexcept {
  return for_each_lane([&](int i) noexcept { return i < count ? from[i] : 0.0F; });
}

inline f32x16 load(const float* from) noexcept {
  return load_partial(from, lanes);
}

[[gnu::noinline]] inline void store_partial(float* to, const f32x16& v, int count) noexcept {
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i) to[i] = v.lane[i];
}

inline void store(float* to, const f32x16& v) noexcept {
  store_partial(to, v, lanes);
}

[[gnu::noinline]] inline f32x16 add(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] + b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 sub(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] - b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 mul(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] * b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) noexcept {
  return for_each_lane([&](int i) noexcept { return __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]); });
}

[[gnu::noinline]] inline f32x16 max(const f32x16& a, const f32x16& b) noexcept {
  return for_each_lane([&](int i) noexcept { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}

[[gnu::noinline]] inline f32x16 power_from_low_bits(const f32x16& t) noexcept {
  return for_each_lane(
      [&](int i) noexcept { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(t.lane[i]) << 23); });
}

inline float sum(const f32x16& v) noexcept {
  f32x16 folded = v;
  for (int width = lanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) folded.lane[i] += folded.lane[i + width];
  }
  return folded.lane[0];
}

inline float maximum(const f32x16& v) noexcept {
  float greatest = v.lane[0];
  for (float lane : v.lane) greatest = lane > greatest ? lane : greatest;
  return greatest;
}

}  // namespace heed::port
