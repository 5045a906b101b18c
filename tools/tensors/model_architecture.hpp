// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/weight_file.hpp"
#include "heed/model.hpp"
#include "tensors/model_names.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A JSON file with the members of ModelConfig and the names of its tensors.
struct Architecture {
  std::string file;  ///< its name
  nlohmann::json json;
};

/// What the JSON file says, and what the family of the tensors' file adds to it.
struct ModelDescription {
  std::string architecture;  ///< name of the JSON file
  ModelPlan plan;
  ModelNames names;
  std::vector<std::string> notes;  ///< what was not said and taken all the same, a line each
  bool requantize = false;         ///< whether numbers that are quantized in the file may be rounded anew
};

[[nodiscard]] Architecture parse_architecture(std::string_view text, const std::string& file);

/// A Failure if the architecture contradicts itself, its family or the file, or leaves out what neither of them tells.
/// `types` stand in place of those that the architecture says.
[[nodiscard]] ModelDescription describe_model(Architecture architecture, const WeightFile& weights,
                                              const StoredTypes& types);

}  // namespace heed::tools
