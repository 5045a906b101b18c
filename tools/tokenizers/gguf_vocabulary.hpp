// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/gguf.hpp"

namespace heed::tools {

inline constexpr const char* gguf_token_key = "tokenizer.ggml.tokens";
inline constexpr const char* gguf_type_key = "tokenizer.ggml.token_type";

/// The numbers of tokenizer.ggml.token_type.
enum class GgufTokenType { normal = 1, unknown, control, user_defined, unused, byte };

/// The tokens of a GGUF file, in its bytes.
struct GgufVocabulary {
  std::vector<std::string_view> tokens{};  ///< UTF-8; none is empty, none there twice
  std::vector<GgufTokenType> types{};
  std::unordered_map<std::string_view, std::uint32_t> numbers{};

  /// Found in a text before anything else.
  [[nodiscard]] bool is_added(std::uint32_t token) const {
    return types[token] == GgufTokenType::user_defined || is_special(token);
  }
  [[nodiscard]] bool is_special(std::uint32_t token) const {
    return types[token] == GgufTokenType::unknown || types[token] == GgufTokenType::control;
  }
};

/// A key that must be there, of those that are not metadata.
[[nodiscard]] const GgufValue& gguf_other(const Gguf& file, const char* key);

/// A list of finite numbers, one for each token.
[[nodiscard]] std::vector<double> gguf_numbers_of(const Gguf& file, const char* key, std::size_t tokens);

/// A Failure names a token without a text of its own or without a type of those above, and one that is a byte by its
/// type or by its name, such as <0x0A>, but not by both.
[[nodiscard]] GgufVocabulary read_gguf_vocabulary(const Gguf& file);

}  // namespace heed::tools
