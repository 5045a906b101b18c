// SPDX-License-Identifier: MIT
//
// Encoders of images: their input are patches, [channels, height, width] each, row by row. `part` as in bert_like.hpp.
#pragma once

#include <string>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

[[nodiscard]] PublishedModel read_vit(PublishedConfig& config, const std::string& part);
[[nodiscard]] PublishedModel read_deit(PublishedConfig& config, const std::string& part);

/// A model of timm, whose configuration has `architecture` in place of `model_type`.
[[nodiscard]] PublishedModel read_timm(PublishedConfig& config, const std::string& part);

}  // namespace heed::tools
