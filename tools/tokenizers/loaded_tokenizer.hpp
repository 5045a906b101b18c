// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/text.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A tokenizer with its file: one of `heed pack --tokenizer`, or a vocabulary of llama2.c.
class LoadedTokenizer {
 public:
  explicit LoadedTokenizer(const std::string& path);

  [[nodiscard]] std::uint32_t tokens() const;
  [[nodiscard]] bool ends_text(std::uint32_t token) const;

  /// The tokens of a text, with those that the template puts around it. A vocabulary of llama2.c always does.
  [[nodiscard]] std::vector<std::uint32_t> encode(std::string_view text, bool whole) const;
  /// The tokens that a text begins with: the template's last ones are left to the model.
  [[nodiscard]] std::vector<std::uint32_t> encode_prompt(std::string_view text) const;

  [[nodiscard]] std::string decode(const std::vector<std::uint32_t>& tokens, bool special) const;

  [[nodiscard]] bool is_llama2c() const { return text_.words() == nullptr; }
  [[nodiscard]] const TextTokenizer& text() const { return text_; }
  [[nodiscard]] const Tokenizer& llama2c() const { return llama2c_; }

 private:
  AlignedBytes file_;
  TextTokenizer text_;
  Tokenizer llama2c_;
};

/// Text from one token after another, in whole characters.
class TokenText {
 public:
  TokenText(const LoadedTokenizer& tokenizer, bool special);

  [[nodiscard]] std::string next(std::uint32_t token);
  /// What is left of the last character.
  [[nodiscard]] std::string finish();

 private:
  const LoadedTokenizer& tokenizer_;
  std::uint32_t previous_ = ~0U;
  TextDecoder decoder_;
  std::string room_;
};

}  // namespace heed::tools
