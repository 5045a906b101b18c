// SPDX-License-Identifier: MIT
//
// The tokenizer against one that is written as the original's authors describe it, on a small vocabulary and on that of
// stories260K.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/text.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "text/reference_tokenizer.hpp"

namespace heed::test {
namespace {

std::string decode(const Tokenizer& tokenizer, const std::vector<std::uint32_t>& tokens) {
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::span<const char> piece = tokenizer.decode(tokens[i - 1], tokens[i]);
    text.append(piece.data(), piece.size());
  }
  return text;
}

TEST(Tokenizer, EncodesAsTheReference) {
  const std::string file = tokenizer_file(pieces);
  const ReferenceTokenizer reference(file);
  AlignedMemory bytes = exact(file);
  Tokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(bytes.span()), Status::ok);
  EXPECT_EQ(tokenizer.tokens(), reference.texts.size());
  Random random(5);
  const std::vector<std::string> parts{"h", "e",    "l",    "o",      " ",  "é",   "a",        "hello",
                                       "€", "\xFF", "\x80", "<0x0A>", "\n", "<s>", "\xE2\x82", "z"};
  for (std::uint32_t i = 0; i < 2000 / case_divisor(); ++i) {
    std::string text;
    for (std::uint32_t left = random.between(0, 12); left > 0; --left) {
      text += parts[random.between(0, static_cast<std::uint32_t>(parts.size()) - 1)];
    }
    const std::vector<std::uint32_t> tokens = encoded(tokenizer, text);
    ASSERT_EQ(tokens, reference.encode(text)) << text;
    ASSERT_EQ(decode(tokenizer, tokens), text);
  }
}

TEST(Tokenizer, EncodesNothingAsTheBeginning) {
  const std::string file = tokenizer_file(pieces);
  Tokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(std::as_bytes(std::span(file))), Status::ok);
  EXPECT_EQ(encoded(tokenizer, ""), std::vector<std::uint32_t>{Tokenizer::begin_token});
}

TEST(Tokenizer, DecodesBytesAndLosesTheFirstSpace) {
  const std::string file = tokenizer_file(pieces);
  Tokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(std::as_bytes(std::span(file))), Status::ok);
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const std::span<const char> piece = tokenizer.decode(300, 3 + byte);
    ASSERT_EQ(piece.size(), 1U);
    EXPECT_EQ(static_cast<unsigned char>(piece[0]), byte);
  }
  const std::uint32_t hello = 259 + 4;
  EXPECT_EQ(tokenizer.decode(300, hello).size(), 6U);
  EXPECT_EQ(tokenizer.decode(Tokenizer::begin_token, hello).size(), 5U);
  EXPECT_EQ(tokenizer.decode(300, Tokenizer::begin_token).size(), 5U);
  const char* const first[] = {"<unk>", "\n<s>\n", "\n</s>\n"};
  for (std::uint32_t token = 0; token < 3; ++token) {
    const std::span<const char> piece = tokenizer.decode(300, token);
    EXPECT_EQ(std::string(piece.begin(), piece.end()), first[token]);
  }
  EXPECT_TRUE(tokenizer.decode(300, tokenizer.tokens()).empty());
  EXPECT_TRUE(tokenizer.decode(300, ~0U).empty());
  EXPECT_EQ(tokenizer.decode(Tokenizer::begin_token, 259).size(), 2U);  // has none to lose
  const std::string with_empty = tokenizer_file(std::vector<std::string_view>{"", "a"});
  ASSERT_EQ(tokenizer.bind(std::as_bytes(std::span(with_empty))), Status::ok);
  EXPECT_TRUE(tokenizer.decode(Tokenizer::begin_token, 259).empty());
}

TEST(Tokenizer, Refuses) {
  const std::string file = tokenizer_file(pieces);
  std::uint32_t count = 77;
  std::vector<std::uint32_t> words(Tokenizer::encode_words(5));
  Tokenizer tokenizer;
  EXPECT_EQ(tokenizer.encode(std::string_view("hello"), words, count), Status::not_initialised);
  EXPECT_TRUE(tokenizer.decode(1, 300).empty());
  EXPECT_EQ(tokenizer.bind({}), Status::null_pointer);
  ASSERT_EQ(tokenizer.bind(std::as_bytes(std::span(file))), Status::ok);
  EXPECT_EQ(tokenizer.encode(std::string_view("hello"), {}, count), Status::null_pointer);
  EXPECT_EQ(tokenizer.encode(std::string_view("hello"), std::span(words).first(12), count), Status::bad_length);
  EXPECT_EQ(tokenizer.encode({static_cast<const char*>(nullptr), 1}, words, count), Status::null_pointer);
  // Refused before it is read.
  const std::size_t limit = std::size_t{1} << 30;
  EXPECT_EQ(tokenizer.encode({file.data(), limit}, {words.data(), 4 * limit}, count), Status::bad_length);
  EXPECT_EQ(count, 77U);
  EXPECT_EQ(tokenizer.encode({}, words, count), Status::ok);
  EXPECT_EQ(count, 1U);
  // A refused file leaves what was bound.
  EXPECT_EQ(tokenizer.bind(std::as_bytes(std::span(file)).first(100)), Status::bad_file);
  EXPECT_EQ(encoded(tokenizer, "hello"), ReferenceTokenizer(file).encode("hello"));
}

TEST_F(StoriesTokenizer, GivesTheGoldenTokensAndTexts) {
  AlignedMemory bytes = exact(file_);
  Tokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(bytes.span()), Status::ok);
  EXPECT_EQ(tokenizer.tokens(), 512U);
  const ReferenceTokenizer reference(file_);
  std::size_t rows = 0;
  for (const auto& golden : golden_stories()) {
    const std::string prompt = golden.at("prompt");
    EXPECT_EQ(encoded(tokenizer, prompt), golden.at("prompt_tokens").get<std::vector<std::uint32_t>>()) << prompt;
    const std::string text = with_bytes(golden.at("text"));
    EXPECT_EQ(decode(tokenizer, golden.at("tokens").get<std::vector<std::uint32_t>>()), text);
    EXPECT_EQ(encoded(tokenizer, text), reference.encode(text));
    ++rows;
  }
  EXPECT_EQ(rows, 4U);
}

}  // namespace
}  // namespace heed::test
