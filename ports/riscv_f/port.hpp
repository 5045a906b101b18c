// SPDX-License-Identifier: MIT
//
// RISC-V with the extension F: 32 registers of one float. The vector is an array, which does not fit them twice: what is
// hot works on single floats instead, in kernels/.
#pragma once

#include <cstddef>
#include <scalar_lanes.hpp>

#if !defined(__riscv_flen)
#error "the riscv_f port needs a RISC-V with floating point: -march=rv32imafc -mabi=ilp32f, or more"
#endif

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "riscv_f";

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

inline constexpr bool prefetches = false;
inline void prefetch(const float*, std::ptrdiff_t) noexcept {}

/// One value for each lane.
template <class Function>
[[gnu::always_inline]] inline f32x16 for_each_lane(Function f) noexcept {
  f32x16 result;
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) result.lane[i] = f(i);
  return result;
}

}  // namespace heed_own_code
}  // namespace heed::port
