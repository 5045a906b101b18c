// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// Reads the whole of config.json of a Hugging Face folder: `model_type` and `architectures` choose what the members
/// mean. `part` chooses one of several models in a folder, `type` stands in place of a `model_type` that is missing. A
/// Failure names a member that is not known or not supported, and the architectures that are.
[[nodiscard]] PublishedModel read_published_model(PublishedConfig config, const std::string& part,
                                                  const std::string& type = "");

}  // namespace heed::tools
