// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/weight_file.hpp"
#include "tensors/model_architecture.hpp"
#include "tensors/model_families.hpp"

namespace heed::tools {

/// What a published configuration says, in the terms of this library.
struct PublishedModel {
  std::string name;             ///< the class that computes it, "LlamaForCausalLM"
  nlohmann::json architecture;  ///< the members of ModelConfig, as --model takes them
  ModelFamily family;           ///< what its tensors are called, and what becomes of them
  std::vector<std::string> notes = {};
};

/// The same with the plan of its model file, for tensors that it is known to have, and with what was understood, in
/// words. Failures of what the configuration says begin with `what`.
[[nodiscard]] ModelDescription describe_published(PublishedModel published, const WeightFile& weights,
                                                  const StoredTypes& types, const std::string& what);

}  // namespace heed::tools
