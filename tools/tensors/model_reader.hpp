// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "formats/weight_file.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model from its architecture, a JSON file with the members of ModelConfig and the names of its tensors, and from
/// the tensors. A Failure names what is missing, has another shape or, unless that is allowed, is not read.
[[nodiscard]] ModelTensors read_model_tensors(const std::filesystem::path& architecture,
                                              const std::filesystem::path& weights, bool allow_unused);

/// What the JSON file says before the tensors are known.
struct Architecture {
  std::string file;     ///< its name
  nlohmann::json rest;  ///< the members that are not the configuration's
  ModelPlan<FloatKvCache> plan;
};

/// Both halves of the above, of files in memory.
[[nodiscard]] Architecture parse_architecture(std::string_view text, const std::string& file);
[[nodiscard]] ModelTensors read_model_tensors(Architecture architecture, const WeightFile& weights, bool allow_unused);

}  // namespace heed::tools
