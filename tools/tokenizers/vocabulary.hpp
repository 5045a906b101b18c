// SPDX-License-Identifier: MIT
//
// The model and the added tokens of tokenizer.json.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"

namespace heed::tools {

/// A token that is found in text before anything else, with the rules and defaults of "added_tokens".
struct AddedToken {
  std::uint32_t number = 0;
  std::string name = {};
  bool single_word = false;
  bool strip_left = false;
  bool strip_right = false;
  bool normalized = true;
  bool special = false;
};

/// Tokens that do not stand in the members: texts in the order of their numbers, and which are added.
struct OtherTokens {
  std::span<const std::string_view> texts = {};
  std::vector<AddedToken> added = {};
};

/// Pieces, merges and the unknown token of the member "model", for parts whose kind is set; texts as the file has them,
/// or for merges these where there are any.
void take_model(PublishedConfig& model, TokenParts& parts, std::span<const std::string_view> texts = {});

/// Names of tokens become their bytes: of byte-level vocabularies by GPT-2's alphabet, and <0xNN> if `byte_names`.
void set_bytes(TokenParts& parts, bool byte_names, const std::string& what);

/// The list "added_tokens"; before set_bytes(). Two names may be of one number: the first is what it becomes in text.
void take_added_tokens(PublishedConfig& root, TokenParts& parts, const std::vector<AddedToken>& others = {});

/// Added tokens of normalized text decode as they stand in it: with U+2581 in front, for example. Before set_bytes().
void show_normalized(TokenParts& parts);

/// The number of a token by its name; a Failure if there is none.
[[nodiscard]] std::uint32_t token_named(const TokenParts& parts, const std::string& name, const PublishedConfig& where,
                                        const char* member);

}  // namespace heed::tools
