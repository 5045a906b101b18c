// SPDX-License-Identifier: MIT
//
// Files of vocabularies, and the tokens of texts.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text.hpp"

namespace heed::test {

inline void add_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xFF);
}

inline void add_piece(std::string& bytes, std::string_view piece, float score) {
  add_word(bytes, std::bit_cast<std::uint32_t>(score));
  add_word(bytes, static_cast<std::uint32_t>(piece.size()));
  bytes += piece;
}

/// The file of a vocabulary: the three tokens that every one has, the bytes, and these pieces, each of a lower score
/// than that before it.
template <class Pieces>
std::string tokenizer_file(const Pieces& pieces) {
  std::string bytes;
  std::size_t longest = 7;
  for (const std::string_view piece : pieces) longest = piece.size() > longest ? piece.size() : longest;
  add_word(bytes, static_cast<std::uint32_t>(longest));
  add_piece(bytes, "<unk>", 0.0F);
  add_piece(bytes, "\n<s>\n", 0.0F);
  add_piece(bytes, "\n</s>\n", 0.0F);
  for (unsigned byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    add_piece(bytes, name, 0.0F);
  }
  float score = 0.0F;
  for (const std::string_view piece : pieces) add_piece(bytes, piece, score -= 1.0F);
  // "</s>" in its lines has six bytes; one piece has the length of the longest.
  if (longest == 7) add_piece(bytes, "seventh", -1000.0F);
  return bytes;
}

/// The tokens of a text.
inline std::vector<std::uint32_t> encoded(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::uint32_t> words(Tokenizer::encode_words(text.size()));
  std::uint32_t count = 0;
  EXPECT_EQ(tokenizer.encode(text, words, count), Status::ok);
  EXPECT_LE(count, words.size());
  words.resize(count);
  return words;
}

}  // namespace heed::test
