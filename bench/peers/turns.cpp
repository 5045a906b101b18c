// SPDX-License-Identifier: MIT
#include "turns.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "machine/cpu_model.hpp"
#include "machine/machine.hpp"

namespace heed::bench {
namespace {

constexpr double turn_seconds = 0.015;
constexpr Effort effort{.least_rounds = 5, .most_rounds = 15, .seconds = 2.0, .most_seconds = 8.0};

}  // namespace

void expect_equal(const Peer& peer, const Peer& heed, const std::string& what, double tolerance) {
  double greatest = 0;
  double off = 0;
  for (std::size_t i = 0; i < heed.output.size(); ++i) {
    greatest = std::max(greatest, std::abs(double{heed.output[i]}));
    const double difference = std::abs(double{heed.output[i]} - peer.output[i]);
    // Not std::max, which would drop a NaN.
    if (!(difference <= off)) off = difference;
  }
  if (!(off <= tolerance * greatest)) fail(what + ": " + peer.name + " is off by " + std::to_string(off / greatest));
}

void measure_in_turns(const std::string& name, const std::vector<Peer>& peers, const Count& count,
                      nlohmann::json& results) {
  QuietRounds& rounds = quiet_rounds();
  if (rounds.count().of == 0) rounds.listen();
  const double start = now();
  RoundCount of_case;
  while (needs_another(effort, of_case, now() - start)) {
    const auto round = static_cast<std::size_t>(of_case.of);
    std::vector<double> seconds(peers.size());
    rounds.begin();
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const std::size_t turn = (round % 2 == 0 ? i + round : peers.size() - 1 - i + round) % peers.size();
      if (i != 0) rounds.between();
      seconds[turn] = peers[turn].seconds(turn_seconds);
    }
    const bool quiet = rounds.end();
    of_case.add(quiet, rounds.round_peak());
    nlohmann::json run{{"run_name", name},
                       {"run_type", "iteration"},
                       {"round_peak", rounds.round_peak()},
                       {"round_peak_per_clock", rounds.round_peak_per_clock()},
                       {"best_peak_per_clock", rounds.best_peak_per_clock()}};
    for (std::size_t i = 0; i < peers.size(); ++i) run[peers[i].name] = seconds[i] * 1e6;
    count(seconds, run);
    results.push_back(run);
  }
  std::fprintf(stderr, "  %s: %s\n", name.c_str(), of_case.describe().c_str());
}

bool write_results(const nlohmann::json& results, const std::string& path) {
  const nlohmann::json document{{"context", {{"cpu", cpu_model() + ", port " + port_name()}, {"date", today()}}},
                                {"benchmarks", results}};
  std::ofstream file(path);
  file << document.dump(1) << '\n';
  return static_cast<bool>(file.flush());
}

}  // namespace heed::bench
