// SPDX-License-Identifier: MIT
#include "machine/measure.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "cases/data.hpp"
#include "machine/machine.hpp"

namespace heed::bench {
namespace {

constexpr double repetition_seconds = 0.010;
constexpr double benchmark_seconds = 0.18;
constexpr int least_repetitions = 5;

/// A cautious guess: three quarters of what a current desktop core does.
[[nodiscard]] double estimated_seconds(const Work& work) {
  return 150e-9 + work.flop / 75e9 + work.bytes / 60e9;
}

void count_beside(benchmark::State& state, const Beside& beside, int calls, double seconds, double (*clock)()) {
  if (beside.counter == nullptr) return;
  const double ratio = seconds / seconds_per_call(beside.call, calls, clock) / beside.work_ratio;
  state.counters[beside.counter] = beside.speedup ? 1 / ratio : ratio;
}

/// Bytes per second of a loop that only reads what the call reads; 0 where the call has no bytes to compare with.
[[nodiscard]] double read_bandwidth(const Work& work, const Subject& subject) {
  if (work.bytes == 0) return 0;
  const Reads elsewhere{.first = floats_to_read(static_cast<std::size_t>(work.bytes) / sizeof(float))};
  return measure_read_bandwidth(subject.reads.first.empty() ? elsewhere : subject.reads, 3, std::size_t{1} << 22);
}

void time_repetition(benchmark::State& state, const Work& work, const Subject& subject) {
  if (subject.before_repetition) subject.before_repetition();
  const double peak = work.flop != 0 ? measure_fused_multiply_add_peak(10) : 0;
  double bandwidth = read_bandwidth(work, subject);
  subject.call();
  const double wall_start = now();
  const double thread_start = thread_seconds();
  const double start = subject.clock();
  for (auto iteration : state) {
    static_cast<void>(iteration);
    subject.call();
  }
  const double seconds = (subject.clock() - start) / static_cast<double>(state.iterations());
  state.counters["core_share"] = (thread_seconds() - thread_start) / (now() - wall_start);
  bandwidth = std::max(bandwidth, read_bandwidth(work, subject));
  if (work.flop != 0) {
    state.counters["GFLOP/s"] = work.flop / seconds * 1e-9;
    state.counters["peak"] = peak * 1e-9;
    state.counters["peak_percent"] = 100 * work.flop / seconds / peak;
  }
  if (work.bytes != 0) {
    state.counters["GB/s"] = work.bytes / seconds * 1e-9;
    state.counters["bandwidth"] = bandwidth * 1e-9;
    state.counters["bandwidth_percent"] = 100 * work.bytes / seconds / bandwidth;
  }
  if (subject.parts_bandwidth) {
    const auto [products, parts] = subject.parts_bandwidth();
    state.counters["products_percent"] = 100 * products / bandwidth;
    state.counters["parts_percent"] = 100 * parts / bandwidth;
  }
  state.counters["nanoseconds"] = seconds * 1e9;
  const auto calls = static_cast<int>(state.iterations());
  count_beside(state, subject.beside, calls, seconds, subject.clock);
  count_beside(state, subject.beside_too, calls, seconds, subject.clock);
  if (subject.count_more) subject.count_more(state);
  if (subject.after_repetition) subject.after_repetition();
}

/// Everything that is timed lies between the first and the last look at the peak, and a second core's work too, which
/// would look like a neighbour.
void repeat(benchmark::State& state, const Work& work, const Subject& subject) {
  QuietRounds& rounds = quiet_rounds();
  rounds.begin();
  time_repetition(state, work, subject);
  rounds.end();
  state.counters["round_peak"] = rounds.round_peak();
  state.counters["round_peak_per_clock"] = rounds.round_peak_per_clock();
  state.counters["best_peak_per_clock"] = rounds.best_peak_per_clock();
}

}  // namespace

QuietRounds& quiet_rounds() {
  static QuietRounds rounds(sample_fused_multiply_add_peak);
  return rounds;
}

int calls_within(double seconds, const Work& work) {
  return std::max(1, static_cast<int>(seconds / estimated_seconds(work)));
}

void add_benchmark(const std::string& name, const Work& work, std::function<Subject()> make) {
  const int calls = calls_within(repetition_seconds, work);
  const int repetitions =
      std::max(least_repetitions, static_cast<int>(benchmark_seconds / (calls * estimated_seconds(work))));
  const auto subject = std::make_shared<std::unique_ptr<Subject>>();
  benchmark::RegisterBenchmark(name.c_str(),
                               [work, make = std::move(make), subject](benchmark::State& state) {
                                 if (*subject == nullptr) *subject = std::make_unique<Subject>(make());
                                 repeat(state, work, **subject);
                               })
      ->Iterations(calls)
      ->Repetitions(std::min(repetitions, 15))
      ->DisplayAggregatesOnly(true)
      ->Unit(benchmark::kMicrosecond);
}

double seconds_per_call(const Call& call, int calls, double (*clock)()) {
  call();
  const double start = clock();
  for (int i = 0; i < calls; ++i) call();
  return (clock() - start) / calls;
}

bool pin_to_core(int index) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || index-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

}  // namespace heed::bench
