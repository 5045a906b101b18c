// SPDX-License-Identifier: MIT
//
// Decoders with LayerNorm and an MLP of two matrices.
#pragma once

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

[[nodiscard]] PublishedModel read_gpt2(PublishedConfig& config);
[[nodiscard]] PublishedModel read_gpt_neox(PublishedConfig& config);
[[nodiscard]] PublishedModel read_opt(PublishedConfig& config);

}  // namespace heed::tools
