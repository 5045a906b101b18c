// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// The steps of type "Split" that a pre-tokenizer of bytes begins with: regular expressions that a splitter has. The
/// type of the first step has been taken; returns how many there are.
std::size_t take_splits(std::vector<PublishedConfig>& steps, TokenParts& parts);

}  // namespace heed::tools
