// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// A tokenizer with its file: one of `heed pack --tokenizer`, a model file with one after the model, or a vocabulary
/// of llama2.c.
class LoadedTokenizer {
 public:
  explicit LoadedTokenizer(const std::string& path);
  /// That of heed in bytes, at an address that is a multiple of 4, which stay where they are; `what` begins a Failure.
  LoadedTokenizer(std::span<const std::byte> bytes, const std::string& what);

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
  void bind(std::span<const std::byte> bytes, const std::string& what);

  AlignedBytes file_{0};
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
