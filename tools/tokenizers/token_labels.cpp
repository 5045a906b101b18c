// SPDX-License-Identifier: MIT
#include "tokenizers/token_labels.hpp"

#include <cstddef>

#include "support/characters.hpp"
#include "support/printable.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t most_characters = 16;

std::string number_label(std::uint32_t token) {
  return "#" + std::to_string(token);
}

std::string with_blanks_shown(const std::string& text) {
  std::string shown;
  for (const char character : text) {
    if (character == ' ') {
      shown += "␣";
    } else if (character == '\n') {
      shown += "↵";
    } else {
      shown += character;
    }
  }
  return shown;
}

/// In whole characters of UTF-8.
std::string shortened_label(const std::string& text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++characters > most_characters) return text.substr(0, i) + "…";
  }
  return text;
}

}  // namespace

std::vector<std::string> token_labels(const LoadedTokenizer& tokenizer, std::span<const std::uint32_t> tokens) {
  TokenText texts(tokenizer, true);
  std::vector<std::string> labels;
  for (const std::uint32_t token : tokens) {
    const std::string text = texts.next(token);
    labels.push_back(text.empty() ? number_label(token) : shortened_label(printable(with_blanks_shown(text))));
  }
  return labels;
}

std::vector<std::string> token_labels(std::span<const std::uint32_t> tokens) {
  std::vector<std::string> labels;
  for (const std::uint32_t token : tokens) labels.push_back(number_label(token));
  return labels;
}

}  // namespace heed::tools
