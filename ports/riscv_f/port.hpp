// SPDX-License-Identifier: MIT
//
// RISC-V with the extension F: 32 registers of one float. The vector is an array, its operations are loops that are not
// inlined, because the code must be small: what is hot works on single floats instead, in kernels/.
#pragma once

#include <no_prefetch.hpp>

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

/// Whether a GELU of integers reads a table.
inline constexpr bool has_gaussian_table = false;

}  // namespace heed_own_code
}  // namespace heed::port

#include <single_floats/array_lanes.hpp>
