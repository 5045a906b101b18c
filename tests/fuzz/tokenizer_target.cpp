// SPDX-License-Identifier: MIT
//
// Tokenizer files. The last bytes of one that is accepted are also the text that it encodes.
#include <cstdint>

#include "fuzz/target.hpp"
#include "heed/text.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::uint32_t other_token = 300;  ///< whatever does not begin a text
constexpr std::size_t text_bytes = 24;

std::string joined(const Tokenizer& tokenizer, std::span<const std::uint32_t> tokens) {
  std::string text;
  for (const std::uint32_t token : tokens) {
    const std::span<const char> piece = tokenizer.decode(other_token, token);
    text.append(piece.data(), piece.size());
  }
  return text;
}

void encode(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::uint32_t> words(Tokenizer::encode_words(text.size()));
  std::uint32_t count = 0;
  require(tokenizer.encode(text, words, count) == Status::ok, "every text can be encoded");
  require(count >= 1 && count <= text.size() + 2, "no more tokens than bytes, the beginning and a space");
  words.resize(count);
  require(words[0] == Tokenizer::begin_token, "a text begins with its token");
  for (const std::uint32_t word : words) require(word < tokenizer.tokens(), "a token is in the vocabulary");
  const std::string pieces = joined(tokenizer, std::span(words).subspan(1));
  require(pieces == text || pieces == " " + text, "the tokens spell the text");
}

}  // namespace

Corpus corpus() {
  const std::vector<std::string_view> pieces{"he", " h", "ll", "llo", " hello", " ", "h", "e", "l", "o", "\xC3\xA9"};
  return {{tokenizer_file(std::vector<std::string_view>{}), tokenizer_file(pieces)},
          {std::string("\0\0\0\0\1\0\0\0 ", 9), std::string("\0\0\x80\x3F\2\0\0\0he", 10), std::string(8, '\0'),
           std::string("\0\0\x80\x7F\0\0\0\0", 8), "<0x41>", "hello"}};
}

bool run(std::span<const std::byte> bytes) {
  const TokenizerFile read = read_tokenizer(bytes);
  Tokenizer tokenizer;
  require(tokenizer.bind(bytes) == read.status, "bind() and read_tokenizer() say the same");
  if (read.status != Status::ok) {
    require(read.field != nullptr && read.field[0] != '\0', "a refusal names the field");
    require(tokenizer.tokens() == 0, "what is refused is not bound");
    return false;
  }
  require(tokenizer.tokens() == read.tokens, "bind() and read_tokenizer() count the same tokens");
  for (const std::uint32_t token : {0U, 1U, 2U, 3U, 258U, 259U, 260U, read.tokens - 1, read.tokens, ~0U}) {
    for (const std::uint32_t previous : {Tokenizer::begin_token, other_token}) {
      require(tokenizer.decode(previous, token).size() <= read.max_bytes, "no piece is longer than the longest");
    }
  }
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  encode(tokenizer, std::string(text + bytes.size() - text_bytes, text_bytes));
  encode(tokenizer, "hello");
  return true;
}

}  // namespace heed::test::fuzz
