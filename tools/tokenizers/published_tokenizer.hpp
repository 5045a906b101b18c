// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "architectures/published_config.hpp"
#include "tokenizers/token_parts.hpp"
#include "tokenizers/vocabulary.hpp"

namespace heed::tools {

/// What tokenizer.json says. A Failure names the member that is not understood, or not supported.
[[nodiscard]] TokenParts read_tokenizer_json(std::string_view text, const std::string& what);
[[nodiscard]] TokenParts read_tokenizer_members(PublishedConfig root, const OtherTokens& others = {});

/// The tokenizer of a folder of Hugging Face's: tokenizer.json, and the tokens at which generation ends, which
/// generation_config.json says, or else config.json, or else tokenizer_config.json.
[[nodiscard]] TokenParts read_tokenizer_folder(const std::filesystem::path& folder);

}  // namespace heed::tools
