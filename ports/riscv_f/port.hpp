// SPDX-License-Identifier: MIT
//
// RISC-V with the extension F: 32 registers of one float. The vector is an array, its operations are loops that are not
// inlined, because the code must be small: what is hot works on single floats instead, in kernels/.
#pragma once

#include <cstddef>

#if !defined(__riscv_flen)
#error "the riscv_f port needs a RISC-V with floating point: -march=rv32imafc -mabi=ilp32f, or more"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "riscv_f";
inline constexpr int lanes = 16;

/// Four rows of four lanes: sixteen sums, and four factors of A and of B each.
inline constexpr int tile_rows = 4;
constexpr int tile_panels(int) noexcept {
  return 1;
}

/// Rounds of a short loop that stand in the code side by side.
#ifdef __OPTIMIZE_SIZE__
inline constexpr int unrolled = 1;
#else
inline constexpr int unrolled = 4;
#endif

/// Whether bits are compared faster than floats.
inline constexpr bool compares_bits = false;

inline constexpr bool prefetches = false;
inline void prefetch(const float*, std::ptrdiff_t) noexcept {}
inline void prefetch_far(const float*, std::ptrdiff_t) noexcept {}

struct f32x16 {
  float lane[lanes];
};

/// One value for each lane.
template <class Function>
[[gnu::always_inline]] inline f32x16 for_each_lane(Function f) noexcept {
  f32x16 result;
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; ++i) result.lane[i] = f(i);
  return result;
}

[[gnu::noinline]] inline f32x16 set(float value) noexcept {
  return for_each_lane([value](int) noexcept { return value; });
}

[[gnu::noinline]] inline void store(float* to, const f32x16& v) noexcept {
#pragma GCC unroll unrolled
  for (int i = 0; i < lanes; ++i) to[i] = v.lane[i];
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

}  // namespace heed_own_code
}  // namespace heed::port

#include <single_floats/lanes.hpp>
