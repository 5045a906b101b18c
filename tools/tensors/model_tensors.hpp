// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A model's trained tensors, and the configuration that they belong to.
struct ModelTensors {
  ModelConfig config{};
  ModelWeights ends{};
  std::vector<BlockWeights> blocks;
  std::deque<std::vector<float>> kept;  ///< what the pointers of the weights point to
  std::vector<std::string> skipped;     ///< tensors of the file that the model does not read
  std::vector<std::string> notes;       ///< what was not said and taken all the same, a line each

  /// Keeps the numbers, and returns where they are.
  const float* keep(std::vector<float> values) { return kept.emplace_back(std::move(values)).data(); }
};

/// Every matrix in this type.
void set_weight_type(ModelConfig& config, DataType type);

/// The model file; a Failure that begins with `what` if there is none.
[[nodiscard]] AlignedBytes pack(const ModelTensors& tensors, const std::string& what);

/// The plan by which a model file is packed.
[[nodiscard]] ModelPlan file_plan(const ModelConfig& config, const std::string& what);

}  // namespace heed::tools
