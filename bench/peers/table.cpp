// SPDX-License-Identifier: MIT
//
// heed_peers_table GOALS RESULTS: the times of this library and its peers, with the goals for their ratio. Times and
// ratios are medians over the quiet rounds; a ratio is taken within a round. Without a quiet round a ratio is noisy,
// and of all rounds.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/results.hpp"

namespace {

using namespace heed::bench;

struct Column {
  const char* heading;
  const char* counter;
  const char* layer_counter;  ///< the layer's graph in the same column
};

constexpr Column columns[] = {{"heed", "heed", "heed"},
                              {"OpenBLAS", "openblas", ""},
                              {"oneDNN", "onednn", ""},
                              {"ORT Attn", "attention", "packed_layer"},
                              {"ORT MHA", "multi_head_attention", "separate_layer"}};

struct Tally {
  int passed = 0;
  int missed = 0;
  int noisy = 0;
};

void print_row(const Results& results, const std::string& benchmark, const nlohmann::json& goal, Tally& tally) {
  const std::string counter = goal.at("counter");
  const double bound = goal.at("at_least");
  std::printf("%-26s", (benchmark.substr(0, benchmark.find('/')) + " " + describe(benchmark)).c_str());
  for (const Column& column : columns) {
    const std::vector<double>* times = find_values(results, benchmark, column.counter);
    if (times == nullptr) times = find_values(results, benchmark, column.layer_counter);
    if (times != nullptr) {
      std::printf(" %9.1f", median(*times));
    } else {
      std::printf(" %9s", "-");
    }
  }
  const std::vector<double>* ratios = find_values(results, benchmark, counter);
  if (ratios == nullptr) stop("\n" + benchmark + " was not measured");
  const double ratio = median(*ratios);
  const bool noisy = is_noisy(results, benchmark);
  const bool passes = ratio >= bound;
  ++(noisy ? tally.noisy : passes ? tally.passed : tally.missed);
  std::printf("  %6.2f >= %.2f  %-5s  %s\n", ratio, bound,
              noisy    ? "noisy"
              : passes ? "pass"
                       : "miss",
              goal.at("against").get<std::string>().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) stop("usage: heed_peers_table GOALS RESULTS");
  std::ifstream file(argv[1]);
  const nlohmann::json goals = nlohmann::json::parse(file, nullptr, false);
  if (!goals.is_object() || !goals.contains("peers")) stop(std::string(argv[1]) + " has no goals for peers");
  const Results results = read_results(argv[2]);
  std::printf("%s, one core, float32, 8 heads, %s; times in us, ratio = time of the best peer / time of heed\n\n%-26s",
              results.cpu.c_str(), results.date.c_str(), "shape");
  for (const Column& column : columns) std::printf(" %9s", column.heading);
  std::printf("  %6s %7s\n", "ratio", "goal");
  Tally tally;
  for (const nlohmann::json& goal : goals["peers"]) {
    for (const std::string benchmark : goal.at("benchmarks")) {
      print_row(results, benchmark, goal, tally);
    }
  }
  std::printf("\n%d pass, %d miss, %d noisy; %s\n", tally.passed, tally.missed, tally.noisy,
              describe_rounds(results).c_str());
  return 0;
}
