// SPDX-License-Identifier: MIT
//
// The model and the added tokens of tokenizer.json.
#pragma once

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// Pieces, merges and the unknown token of the member "model", for parts whose kind is set; texts as the file has them.
void take_model(PublishedConfig& model, TokenParts& parts);

/// Names of tokens become their bytes: of byte-level vocabularies by GPT-2's alphabet, and <0xNN> if `byte_names`.
void set_bytes(TokenParts& parts, bool byte_names, const std::string& what);

/// The list "added_tokens"; before set_bytes().
void take_added_tokens(PublishedConfig& root, TokenParts& parts);

/// The number of a token by its name; a Failure if there is none.
[[nodiscard]] std::uint32_t token_named(const TokenParts& parts, const std::string& name, const PublishedConfig& where,
                                        const char* member);

}  // namespace heed::tools
