// SPDX-License-Identifier: MIT
//
// How fast a model runs here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "heed/model.hpp"

namespace heed::tools {

/// What is timed: rows that go in at once, and tokens that are made after them.
struct TimedCalls {
  std::uint32_t prompt = 0;  ///< tokens of a decoder's prefill; tokens or frames of an encoder
  std::uint32_t tokens = 0;  ///< decoded one by one; 0 of an encoder
  std::uint32_t repeats = 0;
  std::uint32_t context = 0;  ///< rows that cross-attention looks at; 0 without it
};

struct ModelTimes {
  std::vector<double> prompt_seconds{};   ///< of each repetition
  std::vector<double> token_seconds{};    ///< of all tokens of a repetition
  std::vector<double> context_seconds{};  ///< of all rows of a context; empty without one
  std::uint64_t hash = 0;                 ///< of all logits of the last repetition
};

/// Runs a model on random tokens, or frames, and a random context, always the same ones, once without a clock and then
/// `repeats` times; calls `beside`, if there is one, after each of these.
[[nodiscard]] ModelTimes time_model(Model& model, const TimedCalls& calls, const Executor& executor,
                                    const std::function<void()>& beside = {});

}  // namespace heed::tools
