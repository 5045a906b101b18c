// SPDX-License-Identifier: MIT
//
// Vocabularies whose files are cut off or changed: refused by name, or sound.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>

#include "heed/text.hpp"
#include "support/effort.hpp"
#include "support/random.hpp"
#include "text/reference_tokenizer.hpp"

namespace heed::test {
namespace {

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

TEST_F(StoriesTokenizer, RefusesEveryTruncation) {
  std::set<std::string> fields;
  std::uint32_t whole = 0;
  for (std::size_t length = 0; length < file_.size(); ++length) {
    AlignedMemory cut = exact(file_.substr(0, length));
    if (expect_sound(cut, fields)) ++whole;
  }
  // A cut after a piece leaves a vocabulary of fewer tokens, which only the model can refuse.
  const ReferenceTokenizer reference(file_);
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
