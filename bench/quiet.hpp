// SPDX-License-Identifier: MIT
//
// Tells rounds of a measurement that were quiet from those in which something else used the core, for instance a
// neighbour on its other hardware thread. The sign is the peak of fused multiply-adds, sampled around every round: such
// a neighbour costs the more the busier a program keeps the multipliers, so that a mean over noisy rounds would favour
// the slower one.
#pragma once

#include <string>

namespace heed::bench {

/// Whether a round counts, at whose beginning and end the peak was at least `round_peak`, and at best `best_peak` in
/// the whole run.
[[nodiscard]] constexpr bool is_quiet(double round_peak, double best_peak) {
  return round_peak >= 0.9 * best_peak;
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

/// One per process, because the peak of its rounds is compared with the best that it has seen.
class QuietRounds {
 public:
  using Sample = double (*)();

  /// `sample` measures the peak in FLOP per second.
  explicit QuietRounds(Sample sample) : sample_(sample) {}

  /// Samples for the best peak, so that a process that begins in a noisy moment knows of it: a tenth of a second on a
  /// desktop core.
  void listen();

  /// Begins a round, after waiting for a quiet moment: at most a hundred samples.
  void begin();

  /// Samples within a round, between two of its turns.
  void between();

  /// Ends the round. Whether it counts: every sample since begin() was quiet.
  bool end();

  [[nodiscard]] double round_peak() const { return round_peak_; }  ///< the lowest sample of the round
  [[nodiscard]] double best_peak() const { return best_peak_; }    ///< of the process
  [[nodiscard]] const RoundCount& count() const { return count_; }

 private:
  double take_sample();

  Sample sample_;
  double round_peak_ = 0;
  double best_peak_ = 0;
  RoundCount count_;
};

}  // namespace heed::bench
