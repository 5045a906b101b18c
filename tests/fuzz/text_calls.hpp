// SPDX-License-Identifier: MIT
//
// What a tokenizer that was accepted has to do with any text and any tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "heed/text.hpp"

namespace heed::test::fuzz {

inline void encode(const TextTokenizer& tokenizer, std::span<const char> text) {
  std::vector<std::uint32_t> words(text_words(text.size()));
  std::uint32_t count = 0;
  require(encode_text(tokenizer, text, true, words, count) == Status::ok, "every text can be encoded");
  require(count <= words.size(), "no more tokens than words");
  words.resize(count);
  for (const std::uint32_t word : words) require(word < tokenizer.tokens(), "a token is in the vocabulary");
  // Fewer words are refused, and nothing outside of them is written: the sanitizer looks.
  std::vector<std::uint32_t> few(count / 2);
  const Status status = encode_text(tokenizer, text, true, few, count);
  require(few.empty() || status == Status::ok || status == Status::bad_length, "too few words are refused");
}

/// Each number, in parts of the vocabulary, is a token.
inline void decode(const TextTokenizer& tokenizer, std::span<const std::byte> numbers) {
  TextDecoder decoder;
  require(decoder.bind(tokenizer, true) == Status::ok, "a decoder binds");
  std::string room(tokenizer.decode_bytes(), '\0');
  std::vector<std::uint32_t> tokens;
  std::size_t count = 0;
  for (const std::byte number : numbers) {
    const std::uint32_t token = static_cast<std::uint32_t>(number) % tokenizer.tokens();
    const Status status = decoder.decode(token, room, count);
    require(status == Status::ok || status == Status::bad_token, "a token is decoded, or is none");
    require(count <= room.size(), "no more bytes than there is room");
    if (status == Status::ok) tokens.push_back(token);
  }
  require(decoder.finish(room, count) == Status::ok, "a text ends");
  std::string text((tokens.size() + 1) * tokenizer.decode_bytes(), '\0');
  require(decode_text(tokenizer, tokens, false, text, count) == Status::ok, "all tokens are decoded");
}

}  // namespace heed::test::fuzz
