// SPDX-License-Identifier: MIT
//
// What the machine can do at most, measured in the same process as the figures that are compared with it.
#pragma once

#include <cstddef>
#include <span>

namespace heed::bench {

/// Seconds on a monotonic clock.
[[nodiscard]] double now();

/// Seconds that the calling thread has run: what other programs do on its core in between does not count.
[[nodiscard]] double thread_seconds();

/// FLOP per second of a loop of independent fused multiply-adds on the port's vector, best of `repeats` loops of about
/// a fifth of a millisecond.
[[nodiscard]] double measure_fused_multiply_add_peak(int repeats = 30);

/// Bytes per second of a loop that reads `data` again and again with the port's vector, best of `repeats` rounds of at
/// least `round_bytes` bytes. data.size() is at least 64.
[[nodiscard]] double measure_read_bandwidth(std::span<const float> data, int repeats, std::size_t round_bytes);

/// The same over `bytes` bytes of its own.
[[nodiscard]] double measure_read_bandwidth(std::size_t bytes);

/// Reads `data` once, as the bandwidth measurement does.
void read_once(std::span<const float> data);

}  // namespace heed::bench
