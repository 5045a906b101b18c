// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tokenizers/loaded_tokenizer.hpp"

namespace heed::tools {

/// The text of each token as a label for a picture: blanks and line breaks as something to be seen, no more than
/// sixteen characters, and the number of a token whose text is empty or the beginning of a character.
[[nodiscard]] std::vector<std::string> token_labels(const LoadedTokenizer& tokenizer,
                                                    std::span<const std::uint32_t> tokens);

/// "#7" for token 7, without a tokenizer.
[[nodiscard]] std::vector<std::string> token_labels(std::span<const std::uint32_t> tokens);

}  // namespace heed::tools
