// SPDX-License-Identifier: MIT
//
// Tells rounds of a measurement that were quiet from those in which something else used the core, for instance a
// neighbour on its other hardware thread. The sign is the peak of fused multiply-adds per clock, sampled around every
// round: such a neighbour costs the more the busier a program keeps the multipliers, so that a mean over noisy rounds
// would favour the slower one. Another clock rate from round to round is no noise, but within a round it is.
#pragma once

#include <cstddef>
#include <string>

#include "machine/machine.hpp"

namespace heed::bench {

/// Whether a round counts whose peak per clock was `round`, and at best `best` in the whole run.
[[nodiscard]] constexpr bool is_quiet(double round, double best) {
  return round >= 0.9 * best;
}

/// How many rounds counted, and the peaks of those, in FLOP per second.
struct RoundCount {
  int kept = 0;
  int of = 0;
  double lowest_peak = 0;
  double highest_peak = 0;

  void add(bool quiet, double round_peak);
  void add(const RoundCount& other);

  /// "17 of 20 rounds were quiet, at a peak of 90.1 GFLOP/s to 92.3 GFLOP/s".
  [[nodiscard]] std::string describe() const;
};

/// What a measurement wants.
struct Effort {
  int least_rounds;     ///< that count
  int most_rounds;      ///< that count
  double seconds;       ///< after which `least_rounds` are enough
  double most_seconds;  ///< after which there is no waiting for quiet rounds, once `least_rounds` have been tried
};

/// Whether another round is needed after `seconds` and the rounds counted so far. At most four times `most_rounds` are.
[[nodiscard]] bool needs_another(const Effort& effort, const RoundCount& rounds, double seconds);

inline constexpr std::size_t samples_of_a_best = 6;

/// One per process, because the peak of its rounds is compared with the best that it has seen.
class QuietRounds {
 public:
  using Sample = PeakSample (*)();

  explicit QuietRounds(Sample sample) : sample_(sample) {}

  /// Samples for the best peak, so that a process that begins in a noisy moment knows of it: a quarter of a second on a
  /// desktop core.
  void listen();

  /// Begins a round, after waiting for a quiet moment: at most a hundred samples.
  void begin();

  /// Samples within a round, between two of its turns.
  void between();

  /// Ends the round. Whether it counts: its lowest peak over its highest clock is quiet.
  bool end();

  /// The lowest sample of the round, in FLOP per second.
  [[nodiscard]] double round_peak() const { return round_.peak; }

  /// The lowest peak of the round over its highest clock.
  [[nodiscard]] double round_peak_per_clock() const { return round_.peak_per_clock(); }

  /// The greatest peak per clock that `samples_of_a_best` samples in a row have reached: a virtual machine may let the
  /// clock of one or two look half as fast as it is.
  [[nodiscard]] double best_peak_per_clock() const { return best_; }

  [[nodiscard]] const RoundCount& count() const { return count_; }

 private:
  PeakSample take_sample();

  Sample sample_;
  double latest_[samples_of_a_best] = {};  ///< peaks per clock, in a ring
  std::size_t taken_ = 0;
  double best_ = 0;
  PeakSample round_{};
  RoundCount count_;
};

}  // namespace heed::bench
