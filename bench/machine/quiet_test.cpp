// SPDX-License-Identifier: MIT
//
// Which rounds count, told from peaks that are given instead of measured. Ends with 0 if they are the right ones.
#include "machine/quiet.hpp"

#include <cstdio>
#include <initializer_list>
#include <vector>

namespace {

using namespace heed::bench;

int failures = 0;
std::vector<double> samples;  ///< the next one first; the last one stays
std::size_t taken = 0;

double rate = 1;  ///< of the clock

PeakSample next_sample() {
  const double sample = samples.size() > taken ? samples[taken] : samples.back();
  ++taken;
  return {sample * rate, rate};
}

void set_samples(std::initializer_list<double> next) {
  samples = next;
  taken = 0;
}

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

void test_rounds() {
  QuietRounds rounds(next_sample);
  set_samples({100});
  rounds.listen();
  set_samples({100, 92});
  rounds.begin();
  expect(rounds.end() && rounds.round_peak() == 92, "92 % of the best peak is quiet");
  set_samples({100, 89});
  rounds.begin();
  expect(!rounds.end() && rounds.round_peak() == 89, "noise at the end does not count");
  set_samples({100, 50, 100});
  rounds.begin();
  rounds.between();
  expect(!rounds.end() && rounds.round_peak() == 50, "noise between two turns does not count");
  set_samples({50, 60, 95, 100});
  rounds.begin();
  expect(taken == 3, "a round begins in a quiet moment");
  expect(rounds.end() && rounds.round_peak() == 95, "noise before a round does no harm");
  set_samples({50});
  rounds.begin();
  expect(taken > 1 && taken < 1000, "the wait for a quiet moment ends");
  expect(!rounds.end(), "a round that begins in noise does not count");
  set_samples({300, 300, 100});
  rounds.begin();
  rounds.between();
  expect(rounds.end() && rounds.best_peak_per_clock() == 100, "a few errors of the clock are no better peak");
  set_samples({200});
  rounds.begin();
  for (std::size_t i = 0; i < samples_of_a_best; ++i) rounds.between();
  expect(rounds.end(), "a better peak is quiet");
  set_samples({100});
  rounds.begin();
  expect(!rounds.end(), "the best peak is that of the whole process");
  expect(rounds.count().kept == 4 && rounds.count().of == 8, "rounds are counted");
  expect(rounds.count().lowest_peak == 92 && rounds.count().highest_peak == 200, "peaks are those of quiet rounds");
}

void test_clock() {
  QuietRounds rounds(next_sample);
  set_samples({100});
  rounds.listen();
  rate = 0.5;
  rounds.begin();
  expect(rounds.end() && rounds.round_peak() == 50, "a slow clock is quiet");
  rounds.begin();
  rate = 1;
  expect(!rounds.end(), "a clock that changes within a round is not");
  rounds.begin();
  rate = 0.5;
  expect(!rounds.end(), "nor is one that slows down");
  rate = 1;
}

void test_listening() {
  QuietRounds rounds(next_sample);
  set_samples({50, 50, 100, 100, 100, 100, 100, 100, 50});
  rounds.listen();
  rounds.begin();
  expect(!rounds.end() && rounds.best_peak_per_clock() == 100, "what was heard before the first round is known");
}

void test_effort() {
  const Effort effort{.least_rounds = 5, .most_rounds = 10, .seconds = 2, .most_seconds = 8};
  const auto needs = [&](int kept, int of, double seconds) {
    return needs_another(effort, {.kept = kept, .of = of}, seconds);
  };
  expect(needs(4, 4, 100) && needs(0, 4, 100), "five rounds are tried, however long they take");
  expect(needs(5, 5, 1) && !needs(5, 5, 3), "quiet rounds fill the time of a quiet machine");
  expect(!needs(10, 10, 1), "enough is enough");
  expect(needs(4, 5, 3) && needs(0, 39, 7), "noisy rounds are repeated");
  expect(!needs(4, 5, 9), "not for ever");
  expect(!needs(0, 40, 7), "at most four times");
}

}  // namespace

int main() {
  test_rounds();
  test_clock();
  test_listening();
  test_effort();
  return failures == 0 ? 0 : 1;
}
