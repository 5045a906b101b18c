// SPDX-License-Identifier: MIT
//
// Models of an encoder and a decoder that looks at its rows: `part` is "encoder" or "decoder", a model file each.
#pragma once

#include <string>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

[[nodiscard]] PublishedModel read_t5(PublishedConfig& config, const std::string& part);
[[nodiscard]] PublishedModel read_whisper(PublishedConfig& config, const std::string& part);

}  // namespace heed::tools
