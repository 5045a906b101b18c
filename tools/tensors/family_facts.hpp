// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tensors/model_families.hpp"

namespace heed::tools {

/// Whether an architecture says a member, "block.norm".
[[nodiscard]] bool says(const nlohmann::json& json, const std::string& member);

/// Puts what a family has into an architecture that leaves it out; returns what that was, as "block.norm rms_norm". A
/// Failure that begins with `what` if the architecture says something else, or leaves out what the file does not tell.
std::vector<std::string> complete(nlohmann::json& json, const ModelFamily& family, const std::string& what);

}  // namespace heed::tools
