// SPDX-License-Identifier: MIT
//
// How fast a model runs here: tokens per second, and what the machine has to do for them at least.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/model.hpp"

namespace heed::tools {

/// What is timed: rows that go in at once, and tokens that are made after them.
struct TimedCalls {
  std::uint32_t prompt = 0;  ///< tokens of a decoder's prefill; tokens or frames of an encoder
  std::uint32_t tokens = 0;  ///< decoded one by one; 0 of an encoder
  std::uint32_t repeats = 0;
};

struct ModelTimes {
  std::vector<double> prompt_seconds{};  ///< of each repetition
  std::vector<double> token_seconds{};   ///< of all tokens of a repetition
  std::uint64_t hash = 0;                ///< of all logits of the last repetition
};

/// Runs a model on random tokens, or frames, always the same ones, once without a clock and then `repeats` times.
[[nodiscard]] ModelTimes time_model(Model& model, const TimedCalls& calls, const Executor& executor);

/// Multiply-adds of the products with weights for `rows` rows; the head counts once, or with Pooling::every each time.
[[nodiscard]] double multiply_adds(const ModelPlan& plan, std::uint32_t rows);

/// Bytes of the model file that one decoded token reads: all but the embedding table, where that is not the head.
[[nodiscard]] double token_bytes(const ModelPlan& plan);

}  // namespace heed::tools
