// SPDX-License-Identifier: MIT
#include "report/results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace heed::bench {
namespace {

/// Google Benchmark appends how often it ran.
[[nodiscard]] std::string name_of(const nlohmann::json& run) {
  const std::string name = run.value("run_name", "");
  return name.substr(0, name.find("/iterations:"));
}

[[nodiscard]] double best_peak_per_clock(const nlohmann::json& runs) {
  double best = 0;
  for (const nlohmann::json& run : runs) {
    if (run.value("run_type", "") == "iteration") best = std::max(best, run.value("best_peak_per_clock", 0.0));
  }
  return best;
}

[[nodiscard]] bool is_quiet(const nlohmann::json& run, double best) {
  return bench::is_quiet(run.value("round_peak_per_clock", 0.0), best);
}

/// The benchmarks' JSON. Google Benchmark writes NaN, which JSON has not, for the variation of what is always 0.
[[nodiscard]] nlohmann::json parse_benchmarks(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return nlohmann::json::parse(std::regex_replace(text.str(), std::regex(": NaN"), ": null"), nullptr, false);
}

}  // namespace

void stop(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

Results read_results(const std::string& path) {
  const nlohmann::json document = parse_benchmarks(path);
  if (!document.is_object() || !document.contains("benchmarks")) stop(path + " holds no benchmark results");
  Results results;
  if (document.contains("context")) {
    results.cpu = document["context"].value("cpu", "unknown CPU");
    results.date = document["context"].value("date", "").substr(0, 10);
  }
  const nlohmann::json& runs = document["benchmarks"];
  const double best = best_peak_per_clock(runs);
  for (const nlohmann::json& run : runs) {
    if (run.value("run_type", "") != "iteration") continue;
    results.rounds[name_of(run)].add(is_quiet(run, best), run.value("round_peak", 0.0));
  }
  for (const nlohmann::json& run : runs) {
    if (run.value("run_type", "") != "iteration") continue;
    const std::string name = name_of(run);
    if (!is_noisy(results, name) && !is_quiet(run, best)) continue;
    for (const auto& [key, value] : run.items()) {
      if (value.is_number()) results.counters[name][key].push_back(value.get<double>());
    }
  }
  return results;
}

const std::vector<double>* find_values(const Results& results, const std::string& benchmark,
                                       const std::string& counter) {
  const auto found = results.counters.find(benchmark);
  if (found == results.counters.end()) return nullptr;
  const auto values = found->second.find(counter);
  return values == found->second.end() ? nullptr : &values->second;
}

bool is_noisy(const Results& results, const std::string& benchmark) {
  const auto found = results.rounds.find(benchmark);
  return found != results.rounds.end() && found->second.kept == 0;
}

std::string describe_rounds(const Results& results) {
  RoundCount all;
  for (const auto& [benchmark, rounds] : results.rounds) all.add(rounds);
  return all.describe();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string describe(const std::string& benchmark) {
  std::string words;
  std::size_t at = benchmark.find('/');
  while (at != std::string::npos) {
    const std::size_t next = benchmark.find('/', at + 1);
    const std::string part = benchmark.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const std::size_t colon = part.find(':');
    if (!words.empty()) words += ", ";
    words += colon == std::string::npos ? part : part.substr(0, colon) + ' ' + part.substr(colon + 1);
    at = next;
  }
  return words;
}

}  // namespace heed::bench
