// SPDX-License-Identifier: MIT
//
// What the machine can do at most, measured in the same process as the figures that are compared with it.
#pragma once

#include <cstddef>
#include <span>

namespace heed::bench {

/// Seconds on a monotonic clock.
[[nodiscard]] double now();

/// FLOP per second of a loop of independent fused multiply-adds on the port's vector, best of several.
[[nodiscard]] double measure_fused_multiply_add_peak();

/// Bytes per second of a loop that reads `bytes` bytes again and again with the port's vector, best of several.
[[nodiscard]] double measure_read_bandwidth(std::size_t bytes);

}  // namespace heed::bench
