// SPDX-License-Identifier: MIT
//
// Peers take turns, so that a slow minute of the machine hits all of them alike.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "peer.hpp"

namespace heed::bench {

/// Ends the program if a peer's result differs by more than `tolerance` of the greatest |output|.
void expect_equal(const Peer& peer, const Peer& heed, const std::string& what, double tolerance = 2e-5);

/// Adds counters to a round's results, given the seconds of every peer in it.
using Count = std::function<void(std::span<const double> seconds, nlohmann::json& run)>;

/// Measures for about two seconds, until at least five rounds were quiet; for eight seconds where they are not. Appends
/// every round's times in microseconds to `results` as Google Benchmark writes its repetitions, with its peaks, by
/// which read_results() tells which are quiet. Who begins changes with every round, and so does who follows whom.
void measure_in_turns(const std::string& name, const std::vector<Peer>& peers, const Count& count,
                      nlohmann::json& results);

/// Writes the results, with what they were measured on. False if the file cannot be written.
[[nodiscard]] bool write_results(const nlohmann::json& results, const std::string& path);

}  // namespace heed::bench
