// SPDX-License-Identifier: MIT
//
// heed_goals GOALS LIST RESULTS...: compares benchmark results with a list of goals in goals.json ("goals", "models")
// and prints a table. A row passes or misses by the median of its quiet repetitions; the best one stands beside it. A
// time without any is noisy, and shows what all of its repetitions would give. A goal with a "limit", a counter of the
// same repetitions that says what its parts alone reach, has that beside it; a miss is "beyond" where the limit misses,
// too. Ends with 0 unless something is unreadable, or was not measured and is not optional. A share of the FMA peak is
// one of the peak in the same round; the last line has the least and the greatest of these.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/results.hpp"

namespace {

using namespace heed::bench;

struct Goal {
  std::string name;
  std::string counter;
  std::string unit;
  bool at_least = true;
  bool optional = false;  ///< needs what not everybody has
  bool timed = true;      ///< depends on how fast the machine is
  double bound = 0;
  std::string limit;  ///< a counter; empty: none was measured
  std::vector<std::string> beside;

  [[nodiscard]] bool is_met_by(double value) const { return at_least ? value >= bound : value <= bound; }
};

struct Measured {
  std::string benchmark;
  double middle = 0;
  double best = 0;
};

struct Tally {
  int passed = 0;
  int missed = 0;
  int beyond = 0;
  int noisy = 0;
  int absent = 0;
};

[[nodiscard]] Measured measure(const Goal& goal, const std::string& benchmark, const std::vector<double>& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {benchmark, median(values), goal.at_least ? *greatest : *least};
}

void print_row(const Results& results, const Goal& goal, const Measured& measured, Tally& tally) {
  const bool passes = goal.is_met_by(measured.middle);
  const bool noisy = goal.timed && is_noisy(results, measured.benchmark);
  const std::vector<double>* const limits = find_values(results, measured.benchmark, goal.limit);
  const bool beyond = limits != nullptr && !goal.is_met_by(median(*limits));
  ++(noisy ? tally.noisy : passes ? tally.passed : beyond ? tally.beyond : tally.missed);
  const int digits = goal.bound < 10 ? 3 : 1;
  std::printf("%-46s %-22s %s %6.*f %8.*f %8.*f  %-22s %s", goal.name.c_str(), describe(measured.benchmark).c_str(),
              goal.at_least ? ">=" : "<=", goal.bound < 10 ? 2 : 0, goal.bound, digits, measured.middle, digits,
              measured.best, goal.unit.c_str(),
              noisy    ? "noisy"
              : passes ? "pass"
              : beyond ? "beyond"
                       : "miss");
  if (limits != nullptr) std::printf("  (limit %.*f)", digits, median(*limits));
  const char* separator = "  (";
  for (const std::string& counter : goal.beside) {
    const std::vector<double>* values = find_values(results, measured.benchmark, counter);
    if (values == nullptr) continue;
    std::printf("%s%s %.2f", separator, counter.c_str(), median(*values));
    separator = ", ";
  }
  std::printf("%s\n", *separator == ',' ? ")" : "");
}

/// The name with its numbers filled up with zeros, so that 64 comes before 128.
[[nodiscard]] std::string sort_key(const std::string& name) {
  std::string key;
  std::string digits;
  for (const char c : name + ' ') {
    if (c >= '0' && c <= '9') {
      digits += c;
      continue;
    }
    if (!digits.empty()) key += std::string(8 - std::min<std::size_t>(digits.size(), 8), '0') + digits;
    digits.clear();
    key += c;
  }
  return key;
}

/// The benchmarks whose names start with `prefix` and that have the goal's counter.
[[nodiscard]] std::vector<Measured> measure_every(const Results& results, const Goal& goal, const std::string& prefix) {
  std::vector<Measured> found;
  for (const auto& [benchmark, counters] : results.counters) {
    const auto values = counters.find(goal.counter);
    if (!benchmark.starts_with(prefix) || values == counters.end()) continue;
    found.push_back(measure(goal, benchmark, values->second));
  }
  std::sort(found.begin(), found.end(),
            [](const Measured& a, const Measured& b) { return sort_key(a.benchmark) < sort_key(b.benchmark); });
  return found;
}

void print_absent(const Goal& goal, const std::string& benchmark, Tally& tally) {
  std::printf("%-46s %-22s was not measured\n", goal.name.c_str(), benchmark.c_str());
  if (!goal.optional) ++tally.absent;
}

/// A number, or an object with a number for each port that has one of its own, and one for "others".
[[nodiscard]] double bound_for(const nlohmann::json& bound, const std::string& cpu) {
  if (bound.is_number()) return bound;
  for (const auto& [port, number] : bound.items()) {
    if (cpu.ends_with("port " + port)) return number;
  }
  return bound.at("others");
}

[[nodiscard]] Goal read_goal(const nlohmann::json& entry, const nlohmann::json& units, const std::string& cpu) {
  Goal goal;
  goal.name = entry.at("case");
  goal.counter = entry.at("counter");
  goal.unit = units.value(goal.counter, goal.counter);
  goal.at_least = entry.contains("at_least");
  goal.bound = bound_for(entry.at(goal.at_least ? "at_least" : "at_most"), cpu);
  goal.optional = entry.value("optional", false);
  goal.timed = entry.value("timed", true);
  goal.limit = entry.value("limit", "");
  if (entry.contains("beside")) goal.beside = entry["beside"].get<std::vector<std::string>>();
  return goal;
}

void print_goal(const nlohmann::json& entry, const nlohmann::json& units, const Results& results, Tally& tally) {
  const Goal goal = read_goal(entry, units, results.cpu);
  if (entry.contains("benchmarks")) {
    for (const std::string benchmark : entry["benchmarks"]) {
      const std::vector<double>* values = find_values(results, benchmark, goal.counter);
      if (values == nullptr) {
        print_absent(goal, benchmark, tally);
      } else {
        print_row(results, goal, measure(goal, benchmark, *values), tally);
      }
    }
    return;
  }
  const bool worst_only = entry.contains("worst_of");
  const std::string prefix = entry.at(worst_only ? "worst_of" : "every");
  std::vector<Measured> found = measure_every(results, goal, prefix);
  if (found.empty()) print_absent(goal, prefix, tally);
  if (worst_only && !found.empty()) {
    const auto less = [](const Measured& a, const Measured& b) { return a.middle < b.middle; };
    found = {goal.at_least ? *std::min_element(found.begin(), found.end(), less)
                           : *std::max_element(found.begin(), found.end(), less)};
  }
  for (const Measured& measured : found) print_row(results, goal, measured, tally);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) stop("usage: heed_goals GOALS LIST RESULTS...");
  std::ifstream file(argv[1]);
  const nlohmann::json goals = nlohmann::json::parse(file, nullptr, false);
  const std::string list = argv[2];
  if (!goals.is_object() || !goals.contains(list)) stop(std::string(argv[1]) + " has no list of goals " + list);
  Results results;
  for (int i = 3; i < argc; ++i) {
    Results more = read_results(argv[i]);
    results.cpu = more.cpu;
    results.date = more.date;
    results.counters.merge(more.counters);
    results.rounds.merge(more.rounds);
  }
  std::printf("%s, one core unless said otherwise, ", results.cpu.c_str());
  if (list == "goals") std::printf("float32, 8 heads, ");
  std::printf("%s\n\n", results.date.c_str());
  std::printf("%-46s %-22s %9s %8s %8s\n", "case", "size", "goal", "median", "best");
  Tally tally;
  for (const nlohmann::json& entry : goals.at(list)) print_goal(entry, goals.at("units"), results, tally);
  std::printf("\n%d pass, %d miss, ", tally.passed, tally.missed);
  if (tally.beyond != 0) std::printf("%d beyond their limit, ", tally.beyond);
  std::printf("%d noisy; %s\n", tally.noisy, describe_rounds(results).c_str());
  if (tally.absent != 0) stop(std::to_string(tally.absent) + " goals were not measured");
  return 0;
}
