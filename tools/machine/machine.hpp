// SPDX-License-Identifier: MIT
//
// What the machine can do at most, measured in the same process as the figures that are compared with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed {
class KvCache;
}

namespace heed::bench {

/// The port that the library is built with.
[[nodiscard]] const char* port_name();

/// Seconds on a monotonic clock.
[[nodiscard]] double now();

/// Seconds that the calling thread has run: what other programs do on its core in between does not count.
[[nodiscard]] double thread_seconds();

/// FLOP per second of independent chains of fused multiply-adds on the port's vector. Of `repeats` loops of 6 chains
/// and as many of 12 the best: 6 are what few registers hold, 12 what two units of latency four need where one register
/// is a whole vector. A loop has `operations` vector operations; 300000 take a tenth of a millisecond at 96 GFLOP/s.
[[nodiscard]] double measure_fused_multiply_add_peak(int repeats = 30, int operations = 300000);

/// What the core does right now.
struct PeakSample {
  double peak;   ///< FLOP per second, as above
  double clock;  ///< steps per second of a single chain, which waits for its own result at every step

  /// Tells a neighbour on the core, who takes multipliers and leaves a single chain its pace, from another clock rate,
  /// which changes both.
  [[nodiscard]] double peak_per_clock() const { return peak / clock; }
};

/// A short sample, of about a quarter of a millisecond.
[[nodiscard]] PeakSample sample_fused_multiply_add_peak();

/// What a call reads: `first` alone, or blocks of `block` floats of `first` and `second` in turn, as decode reads the
/// panels of a block of keys and then the values of the same keys. Sizes and `block` are multiples of 64.
struct Reads {
  std::span<const float> first;
  std::span<const float> second{};  ///< empty, or as long as `first`
  std::size_t block = 0;            ///< 0 if `second` is empty

  [[nodiscard]] std::size_t bytes() const { return first.size_bytes() + second.size_bytes(); }
};

/// All of a cache of floats with one sequence, in blocks as the kernels read them.
[[nodiscard]] Reads reads_of(const KvCache& cache);

/// Bytes per second of loops that only read these bytes with the port's vector: straight through, in the order of
/// `Reads`, these two with prefetches, and `first` and `second` at once. The best of `repeats` rounds of each, of at
/// least `round_bytes` bytes.
[[nodiscard]] double measure_read_bandwidth(const Reads& reads, int repeats, std::size_t round_bytes);

/// The same of loops that do no more than the two products of a decode with head_dim 64, or, without `second`, than one
/// row times a matrix of as many inputs: every number is multiplied once, in chains that lie as heed's do. The products
/// of a decode follow one another, or both are taken at once. No softmax, nothing written.
[[nodiscard]] double measure_multiply_bandwidth(const Reads& reads, int repeats, std::size_t round_bytes);

/// Seconds of the softmax of one row of `keys` scores, in key blocks, which lie in the nearest cache.
[[nodiscard]] double measure_softmax_seconds(std::uint32_t keys, int repeats);

/// The same of the softmax in integers, with the products of weights and scales.
[[nodiscard]] double measure_integer_softmax_seconds(std::uint32_t keys, int repeats);

/// Reads `data` once, as the bandwidth measurement does.
void read_once(std::span<const float> data);

}  // namespace heed::bench
