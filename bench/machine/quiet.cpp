// SPDX-License-Identifier: MIT
#include "machine/quiet.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace heed::bench {
namespace {

constexpr int samples_to_listen = 1000;
constexpr int samples_to_begin = 100;

}  // namespace

void RoundCount::add(bool quiet, double round_peak) {
  ++of;
  if (!quiet) return;
  lowest_peak = kept == 0 ? round_peak : std::min(lowest_peak, round_peak);
  highest_peak = std::max(highest_peak, round_peak);
  ++kept;
}

void RoundCount::add(const RoundCount& other) {
  if (other.kept != 0) lowest_peak = kept == 0 ? other.lowest_peak : std::min(lowest_peak, other.lowest_peak);
  highest_peak = std::max(highest_peak, other.highest_peak);
  kept += other.kept;
  of += other.of;
}

std::string RoundCount::describe() const {
  char text[120];
  std::snprintf(text, sizeof text, "%d of %d rounds were quiet", kept, of);
  std::string words = text;
  if (highest_peak != 0) {
    std::snprintf(text, sizeof text, ", at a peak of %.1f GFLOP/s to %.1f GFLOP/s", lowest_peak * 1e-9,
                  highest_peak * 1e-9);
    words += text;
  }
  return words;
}

bool needs_another(const Effort& effort, const RoundCount& rounds, double seconds) {
  if (rounds.kept >= effort.most_rounds || rounds.of >= 4 * effort.most_rounds) return false;
  if (rounds.kept >= effort.least_rounds) return seconds < effort.seconds;
  return rounds.of < effort.least_rounds || seconds < effort.most_seconds;
}

PeakSample QuietRounds::take_sample() {
  const PeakSample sample = sample_();
  latest_[taken_++ % samples_of_a_best] = sample.peak_per_clock();
  best_ = std::max(best_, *std::min_element(std::begin(latest_), std::end(latest_)));
  return sample;
}

void QuietRounds::listen() {
  for (int i = 0; i < samples_to_listen; ++i) take_sample();
}

void QuietRounds::begin() {
  for (int i = 0; i < samples_to_begin; ++i) {
    round_ = take_sample();
    if (is_quiet(round_peak_per_clock(), best_)) return;
  }
}

void QuietRounds::between() {
  const PeakSample sample = take_sample();
  round_ = {std::min(round_.peak, sample.peak), std::max(round_.clock, sample.clock)};
}

bool QuietRounds::end() {
  between();
  const bool quiet = is_quiet(round_peak_per_clock(), best_);
  count_.add(quiet, round_.peak);
  return quiet;
}

}  // namespace heed::bench
