// SPDX-License-Identifier: MIT
#include "tokenizers/gguf_vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "heed/detail/token_layout.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

bool is_byte_name(std::string_view text) {
  const auto digit = [](char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'F'); };
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') && digit(text[3]) && digit(text[4]);
}

/// Whether bytes are UTF-8: nothing else can be written as JSON.
bool is_text(std::string_view bytes) {
  try {
    static_cast<void>(nlohmann::json(bytes).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace

const GgufValue& gguf_other(const Gguf& file, const char* key) {
  const auto found = file.others().find(key);
  if (found == file.others().end()) throw Failure(file.name() + ": " + key + ": it is missing");
  return found->second;
}

std::vector<double> gguf_numbers_of(const Gguf& file, const char* key, std::size_t tokens) {
  std::vector<double> numbers = gguf_list(gguf_other(file, key), file.name(), key);
  const std::string what = file.name() + ": " + key + ": ";
  if (numbers.size() != tokens) {
    throw Failure(what + "there are " + std::to_string(numbers.size()) + ", and " + std::to_string(tokens) + " tokens");
  }
  const auto is_number = [](double number) { return std::isfinite(number); };
  if (!std::all_of(numbers.begin(), numbers.end(), is_number)) throw Failure(what + "one is no number");
  return numbers;
}

GgufVocabulary read_gguf_vocabulary(const Gguf& file) {
  GgufVocabulary vocabulary{gguf_texts(gguf_other(file, gguf_token_key), file.name(), gguf_token_key)};
  const std::size_t count = vocabulary.tokens.size();
  const std::string key = file.name() + ": " + gguf_token_key + ": ";
  if (count == 0 || count >= detail::max_text_tokens) {
    throw Failure(key + std::to_string(count) + " tokens are not supported");
  }
  const std::vector<double> types = gguf_numbers_of(file, gguf_type_key, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view text = vocabulary.tokens[i];
    const auto refused = [&](const std::string& why) { return Failure(key + "token " + std::to_string(i) + why); };
    if (text.empty()) throw refused(" is empty");
    if (!is_text(text)) throw refused(" is no UTF-8");
    if (!vocabulary.numbers.emplace(text, i).second) throw refused(" is there twice");
    const bool known = types[i] >= 1 && types[i] <= 6 && types[i] == std::floor(types[i]);
    if (!known) throw refused(": type " + std::to_string(types[i]) + " is not supported, but 1 to 6");
    vocabulary.types.push_back(static_cast<GgufTokenType>(types[i]));
    if ((vocabulary.types[i] == GgufTokenType::byte) != is_byte_name(text)) {
      throw refused(", " + std::string(text) + ": only its type or only its name says that it is a byte");
    }
  }
  return vocabulary;
}

}  // namespace heed::tools
