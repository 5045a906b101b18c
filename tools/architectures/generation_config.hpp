// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "architectures/published_config.hpp"

namespace heed::tools {

/// The tokens by which texts begin, end and are filled, "bos 1, eos 2 3", taken out of a configuration; empty if it has
/// none.
[[nodiscard]] std::string take_token_ids(PublishedConfig& config);

/// What generation_config.json says, a line each: its tokens, and what it asks of sampling. None of it changes logits.
[[nodiscard]] std::vector<std::string> describe_generation(PublishedConfig config);

}  // namespace heed::tools
