// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "tensors/model_work.hpp"

namespace heed::tools {

/// Of the repetitions, per second.
struct Rate {
  double least;
  double median;
  double most;
};

/// What goes through the model at once.
struct TimedRows {
  std::uint32_t count;
  Rate rate;
  Work work;
};

/// What the machine reached beside it.
struct Peak {
  DataType weights;
  DataType rows;
  double per_second;
};

struct Measured {
  std::string model;
  ModelPlan plan;
  std::uint32_t repeats;
  TimedRows prompt;
  std::optional<TimedRows> context{};  ///< of a model with cross-attention
  std::uint32_t tokens = 0;
  std::optional<Rate> decode{};  ///< of a decoder
  std::uint64_t hash = 0;
  std::vector<Peak> peaks{};  ///< of each kind of products
  double read_bytes = 0.0;    ///< per second, after each repetition: the median
  double read_share = 0.0;    ///< of it, what decoding read: the median of the repetitions
};

void print_bench_text(const Measured& measured);
void print_bench_json(const Measured& measured);

}  // namespace heed::tools
