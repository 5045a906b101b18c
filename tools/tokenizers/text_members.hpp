// SPDX-License-Identifier: MIT
//
// The members of tokenizer.json that say what is done to text before and after the vocabulary.
#pragma once

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// What stands for a space in vocabularies of characters: U+2581.
inline constexpr const char* space_mark = "\xE2\x96\x81";

/// Each sets the rules of parts whose kind is set, or refuses what it does not know.
void take_normalizer(PublishedConfig& root, TokenParts& parts);
void take_pre_tokenizer(PublishedConfig& root, TokenParts& parts);
void take_post_processor(PublishedConfig& root, TokenParts& parts);

/// "pattern": whether it is given in this form, and what it is.
[[nodiscard]] bool has_pattern(PublishedConfig step, const char* form);
[[nodiscard]] std::string take_pattern(PublishedConfig& step, const char* form);

/// U+2581 in front of a text, and for its spaces.
void take_prepend(PublishedConfig& step, TokenParts& parts);
void take_space_marks(PublishedConfig& step, TokenParts& parts);

/// Whether names such as <0x0A> are bytes in text.
[[nodiscard]] bool take_decoder(PublishedConfig& root, TokenParts& parts);

/// The elements of a member that is one step, or a sequence of steps; none if it is null.
[[nodiscard]] std::vector<PublishedConfig> take_steps(PublishedConfig& root, const char* member, const char* sequence);

}  // namespace heed::tools
