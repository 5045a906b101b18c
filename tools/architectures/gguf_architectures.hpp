// SPDX-License-Identifier: MIT
//
// The keys of a GGUF file in the words of config.json, so that what is made of either is the same.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/weight_file.hpp"

namespace heed::tools {

struct GgufArchitecture {
  nlohmann::json config;           ///< as config.json has it, with model_type
  bool pairs = false;              ///< rows of queries and keys that are rotated together are beside each other
  std::vector<std::string> notes;  ///< what the file does not say
};

/// A Failure, which begins with the file's name, names a key that is missing, has another kind of value, is not
/// supported or not known.
[[nodiscard]] GgufArchitecture read_gguf_architecture(const nlohmann::json& metadata, const WeightFile& file);

}  // namespace heed::tools
