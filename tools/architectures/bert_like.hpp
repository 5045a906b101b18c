// SPDX-License-Identifier: MIT
//
// Encoders of text. `part` says what comes out of a model without a head: "rows", the default, or "pooler".
#pragma once

#include <string>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

[[nodiscard]] PublishedModel read_bert(PublishedConfig& config, const std::string& part);
[[nodiscard]] PublishedModel read_roberta(PublishedConfig& config, const std::string& part);
[[nodiscard]] PublishedModel read_xlm_roberta(PublishedConfig& config, const std::string& part);
[[nodiscard]] PublishedModel read_distilbert(PublishedConfig& config, const std::string& part);

}  // namespace heed::tools
