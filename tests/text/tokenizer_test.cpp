// SPDX-License-Identifier: MIT
//
// The tokenizer against one that is written as the original's authors describe it, on a small vocabulary and on that of
// stories260K (HEED_STORIES, or ../shared/stories260k), and files that are cut off or changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <set>
#include <vector>

#include "heed/text.hpp"
#include "support/aligned_memory.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "text/stories.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

const std::vector<std::string_view> pieces{"he", " h", "ll", "llo", " hello", "el",          "lo", "é",
                                           "éé", " ",  "h",  "e",   "l",      "o",           "a",  "aa",
                                           "<",  "0",  "x",  "A",   ">",      "\xE2\x82\xAC"};

AlignedMemory exact(const std::string& bytes) {
  return AlignedMemory(std::as_bytes(std::span(bytes)));
}

std::string decode(const Tokenizer& tokenizer, const std::vector<std::uint32_t>& tokens) {
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::span<const char> piece = tokenizer.decode(tokens[i - 1], tokens[i]);
    text.append(piece.data(), piece.size());
  }
  return text;
}

/// Every piece of a file, and the merging as it is told, from texts alone.
struct Reference {
  std::vector<std::string> texts;
  std::vector<float> scores;

  explicit Reference(const std::string& file) {
    for (std::size_t at = 4; at < file.size();) {
      float score = 0.0F;
      std::uint32_t length = 0;
      std::memcpy(&score, file.data() + at, 4);
      std::memcpy(&length, file.data() + at + 4, 4);
      texts.push_back(file.substr(at + 8, length));
      scores.push_back(score);
      at += 8 + length;
    }
  }

  [[nodiscard]] std::uint32_t find(const std::string& text) const {
    const auto found = std::find(texts.begin() + 259, texts.end(), text);
    return found == texts.end() ? 0 : static_cast<std::uint32_t>(found - texts.begin());
  }

  [[nodiscard]] std::vector<std::uint32_t> encode(const std::string& text) const {
    std::vector<std::uint32_t> tokens;
    if (!text.empty() && find(" ") != 0) tokens.push_back(find(" "));
    for (std::size_t at = 0; at < text.size();) {
      std::size_t length = 1;
      while (length < 4 && at + length < text.size() && (text[at + length] & '\xC0') == '\x80') ++length;
      const std::uint32_t found = find(text.substr(at, length));
      if (found != 0) tokens.push_back(found);
      for (std::size_t i = 0; found == 0 && i < length; ++i) {
        tokens.push_back(3 + static_cast<unsigned char>(text[at + i]));
      }
      at += length;
    }
    for (;;) {
      float best = -std::numeric_limits<float>::infinity();
      std::size_t where = tokens.size();
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::uint32_t joined = find(texts[tokens[i]] + texts[tokens[i + 1]]);
        if (joined == 0 || scores[joined] <= best) continue;
        best = scores[joined];
        where = i;
      }
      if (where == tokens.size()) break;
      tokens[where] = find(texts[tokens[where]] + texts[tokens[where + 1]]);
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
    tokens.insert(tokens.begin(), Tokenizer::begin_token);
    return tokens;
  }
};

TEST(Tokenizer, EncodesAsTheReference) {
  const std::string file = tokenizer_file(pieces);
  const Reference reference(file);
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
  EXPECT_EQ(encoded(tokenizer, "hello"), Reference(file).encode("hello"));
}

/// Refused by name, or a vocabulary that encodes and decodes.
bool expect_sound(AlignedMemory& file, std::set<std::string>& fields) {
  const TokenizerFile read = read_tokenizer(file.span());
  Tokenizer tokenizer;
  EXPECT_EQ(tokenizer.bind(file.span()), read.status);
  if (read.status != Status::ok) {
    EXPECT_STRNE(read.field, "");
    fields.insert(read.field);
    return false;
  }
  EXPECT_EQ(tokenizer.tokens(), read.tokens);
  encoded(tokenizer, " hello\n");
  for (std::uint32_t token = 0; token < read.tokens; ++token)
    EXPECT_LE(tokenizer.decode(1, token).size(), read.max_bytes);
  return true;
}

TEST(TokenizerFile, RefusesEveryTruncation) {
  const std::string file = tokenizer_file(pieces);
  std::set<std::string> fields;
  std::size_t whole = 0;  // cut after a piece, the file is one of fewer tokens, unless the longest piece is gone
  for (std::size_t length = 0; length < file.size(); ++length) {
    AlignedMemory cut = exact(file.substr(0, length));
    if (expect_sound(cut, fields)) ++whole;
  }
  EXPECT_EQ(whole, 0U);
  EXPECT_EQ(fields, (std::set<std::string>{"length of a piece", "length of the longest piece", "number of tokens",
                                           "score and length of a piece"}));
}

TEST(TokenizerFile, ReadsNothingOutsideOfChangedBytes) {
  const std::string file = tokenizer_file(pieces);
  std::set<std::string> fields;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (unsigned bit = 0; bit < 8; bit += 1 + (at > 200 ? 2 : 0)) {
      AlignedMemory changed = exact(file);
      changed[at] ^= std::byte{static_cast<unsigned char>(1U << bit)};
      expect_sound(changed, fields);
    }
  }
  for (const char* field : {"length of a piece", "length of the longest piece", "name of a byte", "score of a piece"}) {
    EXPECT_EQ(fields.count(field), 1U) << field;
  }
}

TEST(TokenizerFile, ReadsNothingOutsideOfRandomBytes) {
  const std::string file = tokenizer_file(pieces);
  Random random(6);
  std::set<std::string> fields;
  for (std::uint32_t i = 0; i < 100000 / case_divisor(); ++i) {
    // Random from some place on; the lengths are small numbers, so that not every file ends at once.
    const std::size_t from = i % 2 == 0 ? 0 : file.size() - random.between(1, 200);
    AlignedMemory bytes = exact(file.substr(0, from) + std::string(random.between(0, 64), '\0'));
    for (std::byte& byte : bytes.span().subspan(from)) {
      byte = std::byte{static_cast<unsigned char>(random.bits() % (i % 3 == 0 ? 256 : 9))};
    }
    const TokenizerFile read = read_tokenizer(bytes.span());
    if (read.status == Status::ok) expect_sound(bytes, fields);
  }
}

TEST(TokenizerFile, Refuses) {
  const std::byte some[4]{};
  const auto expect_refused = [](std::span<const std::byte> file, Status status) {
    const TokenizerFile read = read_tokenizer(file);
    EXPECT_EQ(read.status, status);
    EXPECT_EQ(read.token, 0U);
  };
  expect_refused({}, Status::null_pointer);
  expect_refused({some, std::size_t{1} << 31}, Status::too_large);
  expect_refused({some, 3}, Status::bad_file);
}

TEST(TokenizerFile, RefusesEveryByteOfAnotherName) {
  const std::string file = tokenizer_file(pieces);
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    std::string changed = file;
    changed[changed.find(name) + 1] = '1';
    const TokenizerFile read = read_tokenizer(std::as_bytes(std::span(changed)));
    EXPECT_EQ(read.status, Status::bad_file);
    EXPECT_STREQ(read.field, "name of a byte");
    EXPECT_EQ(read.token, 3 + byte);
  }
}

class StoriesTokenizer : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = stories_are_missing(); !missing.empty()) GTEST_SKIP() << missing;
    std::ifstream stream(stories_directory() / "tok512.bin", std::ios::binary);
    file_ = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  std::string file_;
};

TEST_F(StoriesTokenizer, GivesTheGoldenTokensAndTexts) {
  AlignedMemory bytes = exact(file_);
  Tokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(bytes.span()), Status::ok);
  EXPECT_EQ(tokenizer.tokens(), 512U);
  const Reference reference(file_);
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

TEST_F(StoriesTokenizer, RefusesEveryTruncation) {
  std::set<std::string> fields;
  std::uint32_t whole = 0;
  for (std::size_t length = 0; length < file_.size(); ++length) {
    AlignedMemory cut = exact(file_.substr(0, length));
    if (expect_sound(cut, fields)) ++whole;
  }
  // A cut after a piece leaves a vocabulary of fewer tokens, which only the model can refuse.
  const Reference reference(file_);
  std::uint32_t after_the_longest = 0;
  bool longest = false;
  for (std::size_t token = 259; token + 1 < reference.texts.size(); ++token) {
    longest = longest || reference.texts[token].size() == 7;
    if (longest) ++after_the_longest;
  }
  EXPECT_EQ(whole, after_the_longest);
}

}  // namespace
}  // namespace heed::test
