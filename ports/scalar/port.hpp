// SPDX-License-Identifier: MIT
//
// For every CPU with a fused multiply-add.
#pragma once

// The hashes of firmware_check were found on big-endian CPUs as well (s390x, POWER).
#define HEED_PORT_ANY_BYTE_ORDER

#include <no_prefetch.hpp>
#include <scalar_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "scalar";

/// Rows and panels whose sums are kept at once: two rows do not fit the 32 registers of a small FPU, but share the
/// loads of a panel, which more than pays for it. More rows cost flash and time there.
inline constexpr int tile_rows = 2;
constexpr int tile_panels(int) noexcept {
  return 1;
}

}  // namespace heed_own_code
}  // namespace heed::port
