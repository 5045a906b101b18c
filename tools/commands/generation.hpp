// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/model.hpp"
#include "heed/text.hpp"
#include "tokenizers/loaded_tokenizer.hpp"

namespace heed::tools {

struct GenerationOptions {
  Sampling sampling;
  std::uint64_t seed = 1;
  bool ignore_end = false;  ///< go on after a token that ends a text
  std::string stop{};       ///< the text, or the special token, to end before; or empty
};

/// Writes text to standard output as it is made. A terminal must not act on control characters.
class TextOutput {
 public:
  TextOutput();

  void write(std::span<const char> piece);

 private:
  bool terminal_;
};

/// One text, from its prompt on.
class Generation {
 public:
  /// `count` tokens are made after the prompt, or fewer where the text ends.
  Generation(const GenerationOptions& options, const LoadedTokenizer& tokenizer, std::vector<std::uint32_t> prompt,
             std::uint32_t count);

  void run(Model& model, const Executor& executor);

  /// Those of the prompt and those that were made.
  [[nodiscard]] const std::vector<std::uint32_t>& tokens() const { return tokens_; }

  [[nodiscard]] std::string speed() const;

 private:
  void require_token(std::uint32_t token) const;
  bool show(const std::string& text);
  bool show_held(std::size_t bytes);

  const GenerationOptions& options_;
  const LoadedTokenizer& tokenizer_;
  TokenText shown_;
  std::string held_;  ///< made, and not shown yet
  std::vector<std::uint32_t> tokens_;
  std::uint32_t count_;
  std::optional<std::uint32_t> special_stop_;  ///< the token that --stop names
  std::uint32_t made_ = 0;
  double seconds_ = 0.0;
  TextOutput text_;
};

}  // namespace heed::tools
