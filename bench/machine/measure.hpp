// SPDX-License-Identifier: MIT
//
// How every benchmark is timed: many short repetitions, each with the machine's peak measured just before it and the
// read bandwidth just before and after it, so that the share of them does not depend on how fast the machine happens to
// be at that moment. Its round_peak_per_clock beside the greatest best_peak_per_clock tells whether it was quiet.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "machine/machine.hpp"
#include "machine/quiet.hpp"

namespace heed::bench {

/// What one call does at least.
struct Work {
  double flop = 0;
  double bytes = 0;  ///< read from memory; 0 where the figure would say nothing
};

using Call = std::function<void()>;

/// A call that is timed beside another one.
struct Beside {
  const char* counter = nullptr;  ///< the name of the counter
  Call call;
  double work_ratio = 1;  ///< work of the measured call / work of this one
  bool speedup = false;   ///< time of this one / time of the measured one, instead of its inverse
};

/// What is made once, before the first repetition, and checked there.
struct Subject {
  Call call;
  Beside beside{};
  Beside beside_too{};
  Reads reads{};  ///< what `call` reads; empty: as many bytes somewhere else stand for it
  /// Bytes per second of the call's products alone, and of them and its softmax, each measured alone.
  std::function<std::pair<double, double>()> parts_bandwidth{};
  double (*clock)() = thread_seconds;  ///< now() for what runs on two cores
  Call before_repetition{};
  Call after_repetition{};
  std::function<void(benchmark::State&)> count_more{};
};

/// The rounds of this process: a benchmark's repetitions, or the peers' rounds of turns.
[[nodiscard]] QuietRounds& quiet_rounds();

/// Registers a benchmark. `make` is called at its first repetition; it makes the subject and ends the program if the
/// subject's result is wrong. The counters: peak_percent, bandwidth_percent, GFLOP/s, GB/s, those of `beside`, and what
/// QuietRounds says: round_peak in FLOP/s, round_peak_per_clock and best_peak_per_clock.
/// Times are the thread's own; core_share is what part of the time it had its core.
void add_benchmark(const std::string& name, const Work& work, std::function<Subject()> make);

/// Calls that take about `seconds`, estimated from the work alone.
[[nodiscard]] int calls_within(double seconds, const Work& work);

/// Mean seconds of `calls` calls, after one that is not timed.
[[nodiscard]] double seconds_per_call(const Call& call, int calls, double (*clock)() = thread_seconds);

/// Pins the calling thread to the process's first or second CPU; false if there is no such CPU.
bool pin_to_core(int index);

}  // namespace heed::bench
