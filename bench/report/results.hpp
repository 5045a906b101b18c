// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/quiet.hpp"

namespace heed::bench {

/// The counters of every quiet repetition, by benchmark and counter; of a benchmark without any, those of all.
struct Results {
  std::map<std::string, std::map<std::string, std::vector<double>>> counters;
  std::map<std::string, RoundCount> rounds;  ///< by benchmark
  std::string cpu;                           ///< model
  std::string date;                          ///< of the run
};

/// Reads what Google Benchmark wrote as JSON. A repetition is quiet by its round_peak_per_clock, compared with the
/// greatest best_peak_per_clock in the file; those of a file without these counters all are. On an error, ends the
/// program with a message.
[[nodiscard]] Results read_results(const std::string& path);

/// The values of a counter, or null.
[[nodiscard]] const std::vector<double>* find_values(const Results& results, const std::string& benchmark,
                                                     const std::string& counter);

/// Whether no repetition of the benchmark was quiet.
[[nodiscard]] bool is_noisy(const Results& results, const std::string& benchmark);

/// A sentence on the rounds of all benchmarks.
[[nodiscard]] std::string describe_rounds(const Results& results);

/// The middle one; of an even number, the mean of the middle two. `values` is not empty.
[[nodiscard]] double median(std::vector<double> values);

/// The size in a benchmark's name, in words: "prefill/d:64/n:512" is "d 64, n 512".
[[nodiscard]] std::string describe(const std::string& benchmark);

/// Ends the program with a message and exit code 1.
[[noreturn]] void stop(const std::string& message);

}  // namespace heed::bench
