// SPDX-License-Identifier: MIT
//
// What tokenizer.json says of a unigram vocabulary and its normalizer.
#pragma once

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// Pieces, their scores and the unknown token of the member "model".
void take_unigram_model(PublishedConfig& model, TokenParts& parts);

/// A step of the normalizer, of which the one before had the number `last`; returns its own.
int take_unigram_step(PublishedConfig& step, const std::string& type, TokenParts& parts, int last);

/// Names of added tokens that the normalizer may change are refused.
void refuse_changed_name(const PublishedConfig& root, const std::string& name, const TokenParts& parts);

}  // namespace heed::tools
