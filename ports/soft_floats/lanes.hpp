// SPDX-License-Identifier: MIT
//
// All but its name of a port whose floats are integer instructions: every operation is a call, so that nothing is
// gained by doing several at a time.
#pragma once

#include <no_prefetch.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr int lanes = 16;

/// Rows and panels at once save no call.
inline constexpr int tile_rows = 1;
constexpr int tile_panels(int) noexcept {
  return 1;
}

/// Rounds of a short loop that stand in the code side by side.
inline constexpr int unrolled = 1;

/// Bits are compared faster than floats.
inline constexpr bool compares_bits = true;

}  // namespace heed_own_code
}  // namespace heed::port

#include <single_floats/array_lanes.hpp>
