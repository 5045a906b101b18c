// SPDX-License-Identifier: MIT
#include "tokenizers/loaded_tokenizer.hpp"

#include <algorithm>
#include <cstring>

#include "formats/input_file.hpp"
#include "heed/detail/extended_model.hpp"
#include "heed/detail/token_layout.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

bool has_magic(std::string_view file, std::uint32_t magic) {
  std::uint32_t first = 0;
  if (file.size() < sizeof first) return false;
  std::memcpy(&first, file.data(), sizeof first);
  return first == magic;
}

/// The tokenizer after a model.
AlignedBytes model_tokenizer(std::string_view file, const std::string& path) {
  std::span<const std::byte> found;
  if (tokenizer_of({reinterpret_cast<const std::byte*>(file.data()), file.size()}, found) != Status::ok) {
    throw Failure(path + ": not a tokenizer file, but a model and no whole tokenizer after it");
  }
  if (found.empty()) throw Failure(path + ": not a tokenizer file, but a model without a tokenizer");
  return aligned_copy({reinterpret_cast<const char*>(found.data()), found.size()});
}

}  // namespace

LoadedTokenizer::LoadedTokenizer(const std::string& path) {
  {
    const MappedFile file(path);
    const bool model = has_magic(file.bytes(), detail::model_magic);
    file_ = model ? model_tokenizer(file.bytes(), path) : aligned_copy(file.bytes());
    if (model || has_magic(file.bytes(), detail::token_magic)) {
      bind(std::as_const(file_).span(), path);
      return;
    }
  }
  const std::span<const std::byte> bytes = std::as_const(file_).span();
  const TokenizerFile read = read_tokenizer(bytes);
  if (read.status != Status::ok) {
    throw Failure(path + ": " + read.field + ", at token " + std::to_string(read.token) +
                  ": not a tokenizer file of llama2.c, or not all of one");
  }
  require_ok(llama2c_.bind(bytes), path);
}

LoadedTokenizer::LoadedTokenizer(std::span<const std::byte> bytes, const std::string& what) {
  bind(bytes, what);
}

void LoadedTokenizer::bind(std::span<const std::byte> bytes, const std::string& what) {
  const TextTokenizerFile read = read_text_tokenizer(bytes);
  if (read.status != Status::ok) throw Failure(what + ": " + read.field + ": not a whole tokenizer file of heed");
  require_ok(text_.bind(bytes), what);
}

std::uint32_t LoadedTokenizer::tokens() const {
  return is_llama2c() ? llama2c_.tokens() : text_.tokens();
}

bool LoadedTokenizer::ends_text(std::uint32_t token) const {
  if (is_llama2c()) return token == Tokenizer::begin_token || token == Tokenizer::end_token;
  return text_.ends_text(token);
}

std::vector<std::uint32_t> LoadedTokenizer::encode(std::string_view text, bool whole) const {
  const std::span<const char> bytes(text.data(), text.size());
  std::uint32_t count = 0;
  if (is_llama2c()) {
    std::vector<std::uint32_t> words(Tokenizer::encode_words(text.size()));
    require_ok(llama2c_.encode(bytes, words, count), "the text");
    words.resize(count);
    return words;
  }
  // About a quarter of what no text exceeds is enough unless normalizing makes it longer.
  constexpr std::size_t too_long = std::size_t{1} << 26;
  const std::size_t most = text_words(text.size());
  std::vector<std::uint32_t> words(text.size() * 24 / 5 + 64);
  Status status = encode_text(text_, bytes, whole, words, count);
  while (status == Status::bad_length && words.size() < most && text.size() < too_long) {
    const std::size_t more = std::min(most, 2 * words.size());
    words = std::vector<std::uint32_t>();
    words.resize(more);
    status = encode_text(text_, bytes, whole, words, count);
  }
  require_ok(status, "the text");
  words.resize(count);
  return words;
}

std::vector<std::uint32_t> LoadedTokenizer::encode_prompt(std::string_view text) const {
  std::vector<std::uint32_t> tokens = encode(text, true);
  if (is_llama2c()) return tokens;
  tokens.resize(tokens.size() - text_.end_tokens());
  return tokens;
}

std::string LoadedTokenizer::decode(const std::vector<std::uint32_t>& tokens, bool special) const {
  if (!is_llama2c()) {
    for (const std::uint32_t token : tokens) {
      if (token >= text_.tokens()) throw Failure("there is no token " + std::to_string(token));
    }
    std::string text(4 * tokens.size() + 64, '\0');
    std::size_t count = 0;
    Status status = decode_text(text_, tokens, special, text, count);
    for (; status == Status::bad_length; status = decode_text(text_, tokens, special, text, count)) {
      const std::size_t more = 2 * text.size();
      text = std::string();
      text.resize(more);
    }
    require_ok(status, "the tokens");
    text.resize(count);
    return text;
  }
  TokenText stream(*this, special);
  std::string text;
  for (const std::uint32_t token : tokens) text += stream.next(token);
  return text + stream.finish();
}

TokenText::TokenText(const LoadedTokenizer& tokenizer, bool special)
    : tokenizer_(tokenizer), room_(tokenizer.text().decode_bytes(), '\0') {
  if (!tokenizer.is_llama2c()) require_ok(decoder_.bind(tokenizer.text(), special), "the tokenizer");
}

std::string TokenText::next(std::uint32_t token) {
  if (tokenizer_.is_llama2c()) {
    // What begins the text is no part of it.
    const bool first = previous_ == ~0U && token == Tokenizer::begin_token;
    const std::span<const char> piece = tokenizer_.llama2c().decode(previous_, token);
    if (piece.data() == nullptr) throw Failure("there is no token " + std::to_string(token));
    previous_ = token;
    return first ? std::string() : std::string(piece.begin(), piece.end());
  }
  std::size_t count = 0;
  require_ok(decoder_.decode(token, room_, count), "token " + std::to_string(token));
  return room_.substr(0, count);
}

std::string TokenText::finish() {
  if (tokenizer_.is_llama2c()) return {};
  std::size_t count = 0;
  require_ok(decoder_.finish(room_, count), "the tokens");
  return room_.substr(0, count);
}

}  // namespace heed::tools
