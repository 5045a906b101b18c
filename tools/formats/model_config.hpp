// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heed/model.hpp"

namespace heed::tools {

/// A configuration from JSON: {"block": {"model_dim": 64, ...}, "blocks": 5, ...}. Members that are not there keep
/// their defaults. Takes the members out of `json`, so that what is left is what no configuration has; a Failure begins
/// with `what` and names the member.
[[nodiscard]] ModelConfig take_config(nlohmann::json& json, const std::string& what);

/// Every member, enumerators in words.
[[nodiscard]] nlohmann::ordered_json to_json(const ModelConfig& config);

/// A constant `name` for C++, and for C a heed_model_config.
[[nodiscard]] std::string config_source(const ModelConfig& config, const std::string& name);
[[nodiscard]] std::string c_config_source(const ModelConfig& config, const std::string& name);

}  // namespace heed::tools
