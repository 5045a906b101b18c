// SPDX-License-Identifier: MIT
//
// Tokenizer, logits and sampling of the C interface against those of C++, to the bit, with what both refuse.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

constexpr std::string_view pieces[] = {" a", "ab", " ", "a", "b", "abab", "\xC3\xA9", " ab", "ba"};

[[nodiscard]] std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file));
}

TEST(CTextTwin, Tokenizer) {
  const std::string file = tokenizer_file(pieces);
  Tokenizer cpp;
  ASSERT_EQ(cpp.bind(bytes_of(file)), Status::ok);
  heed_tokenizer c{};
  ASSERT_EQ(heed_tokenizer_bind(&c, file.data(), file.size()), Status::ok);
  EXPECT_EQ(heed_tokenizer_tokens(&c), cpp.tokens());
  Random random(41);
  for (int i = 0; i < 300; ++i) {
    std::string text(random.between(0, 12), ' ');
    for (char& character : text) character = "ab \xC3\xA9?"[random.between(0, 5)];
    std::vector<std::uint32_t> expected(Tokenizer::encode_words(text.size()));
    std::vector<std::uint32_t> got(HEED_ENCODE_WORDS(text.size()));
    std::uint32_t expected_count = 0, count = 0;
    ASSERT_EQ(cpp.encode(text, expected, expected_count), Status::ok);
    ASSERT_EQ(heed_tokenizer_encode(&c, text.data(), text.size(), got.data(), got.size(), &count), Status::ok);
    ASSERT_EQ(count, expected_count);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof count), 0) << text;
    EXPECT_EQ(heed_tokenizer_encode(&c, text.data(), text.size(), got.data(), got.size() - 1, &count),
              Status::bad_length);
  }
  for (const std::uint32_t previous : {HEED_BEGIN_TOKEN, 5}) {
    for (std::uint32_t token = 0; token < cpp.tokens() + 2; ++token) {
      const std::span<const char> expected = cpp.decode(previous, token);
      std::size_t length = 99;
      EXPECT_EQ(heed_tokenizer_decode(&c, previous, token, &length), expected.data());
      EXPECT_EQ(length, expected.size());
    }
  }
}

TEST(CTextTwin, DamagedTokenizersAreRefusedAlike) {
  std::string file = tokenizer_file(pieces);
  std::set<std::string> fields;
  const auto expect_same = [&](std::size_t size) {
    const TokenizerFile expected = read_tokenizer(bytes_of(file).first(size));
    heed_tokenizer_file read{};
    const heed_status status = heed_read_tokenizer(file.data(), size, &read);
    EXPECT_EQ(status, expected.status);
    EXPECT_STREQ(read.field, expected.field);
    EXPECT_EQ(read.token, expected.token);
    EXPECT_EQ(read.tokens, expected.tokens);
    EXPECT_EQ(read.max_bytes, expected.max_bytes);
    heed_tokenizer c{};
    EXPECT_EQ(heed_tokenizer_bind(&c, file.data(), size), status);
    EXPECT_EQ(heed_tokenizer_tokens(&c), expected.tokens);
    fields.insert(read.field);
  };
  for (std::size_t size = 0; size <= file.size(); size += 3) expect_same(size);
  expect_same(file.size());
  for (std::size_t i = 0; i < file.size(); i += 5) {
    file[i] ^= 0x7F;
    expect_same(file.size());
    file[i] ^= 0x7F;
  }
  EXPECT_GE(fields.size(), 5U);
  heed_tokenizer_file read{};
  heed_tokenizer c{};
  std::size_t length = 9;
  std::uint32_t word[8], count = 0;
  EXPECT_EQ(heed_read_tokenizer(nullptr, 9, &read), Status::null_pointer);
  EXPECT_EQ(heed_read_tokenizer(file.data(), 9, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_bind(&c, nullptr, 9), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_bind(nullptr, file.data(), 9), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_decode(&c, 1, 0, &length), nullptr);
  EXPECT_EQ(length, 0U);
  EXPECT_EQ(heed_tokenizer_encode(&c, "a", 1, word, 8, &count), Status::not_initialised);
  ASSERT_EQ(heed_tokenizer_bind(&c, file.data(), file.size()), Status::ok);
  EXPECT_EQ(heed_tokenizer_decode(&c, 1, 4, nullptr), nullptr);
  EXPECT_EQ(heed_tokenizer_decode(nullptr, 1, 4, &length), nullptr);
  EXPECT_EQ(heed_tokenizer_encode(&c, nullptr, 1, word, 8, &count), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_encode(&c, "a", 1, nullptr, 8, &count), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_encode(&c, "a", 1, word, 8, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_encode(nullptr, "a", 1, word, 8, &count), Status::null_pointer);
  EXPECT_EQ(heed_tokenizer_tokens(nullptr), 0U);
}

TEST(CTextTwin, Sampling) {
  Random random(42);
  RandomBits cpp(7);
  heed_random_bits c;
  heed_seed_random(&c, 7);
  std::set<Status> seen;
  std::set<std::uint32_t> drawn;
  for (int i = 0; i < 3000; ++i) {
    std::vector<float> expected = random.normals(random.between(0, 20), 2.0F);
    if (!expected.empty() && random.between(0, 9) == 0) expected.back() = std::numeric_limits<float>::infinity();
    std::vector<float> got = expected;
    std::vector<std::uint32_t> expected_order(random.between(0, 9) == 0 ? 10 : 20), order = expected_order;
    const float temperatures[] = {0.0F, 0.5F, 1.0F, 3.0F, -1.0F};
    const float top[] = {0.0F, 0.9F, 1.0F, 1.0F, 1.5F};
    const Sampling config{.temperature = temperatures[random.between(0, 39) == 0 ? 4 : random.between(0, 3)],
                          .top_k = random.between(0, 5),
                          .top_p = top[random.between(0, 39) == 0 ? 4 : random.between(0, 3)]};
    std::uint32_t expected_token = 77, token = 77;
    const Status status = sample_token(config, expected, expected_order, cpp, expected_token);
    EXPECT_EQ(heed_sample_token(&config, got.data(), got.size(), order.data(), order.size(), &c, &token), status);
    EXPECT_EQ(token, expected_token);
    EXPECT_EQ(order, expected_order);
    EXPECT_TRUE(same_bits(got, expected));
    seen.insert(status);
    drawn.insert(token);
  }
  EXPECT_EQ(heed_random_next(&c), cpp.next());
  EXPECT_EQ(heed_random_next(&c), cpp.next());
  EXPECT_EQ(seen, (std::set{Status::ok, Status::zero_dimension, Status::bad_length, Status::bad_option}));
  EXPECT_GT(drawn.size(), 15U);
}

TEST(CTextTwin, SamplingRefusesNullPointers) {
  const heed_sampling config{};
  heed_random_bits random;
  heed_seed_random(&random, 7);
  heed_seed_random(nullptr, 7);
  float logits[2] = {1.0F, 2.0F};
  std::uint32_t order[2], token = 0;
  EXPECT_EQ(heed_sample_token(nullptr, logits, 2, order, 2, &random, &token), Status::null_pointer);
  EXPECT_EQ(heed_sample_token(&config, nullptr, 2, order, 2, &random, &token), Status::null_pointer);
  EXPECT_EQ(heed_sample_token(&config, logits, 2, nullptr, 2, &random, &token), Status::null_pointer);
  EXPECT_EQ(heed_sample_token(&config, logits, 2, order, 2, nullptr, &token), Status::null_pointer);
  EXPECT_EQ(heed_sample_token(&config, logits, 2, order, 2, &random, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_random_next(&random), RandomBits(7).next());
  EXPECT_EQ(heed_random_next(nullptr), 0U);
}

TEST(CTextTwin, Logits) {
  Random random(43);
  for (int i = 0; i < 500; ++i) {
    const std::vector<float> logits = random.normals(random.between(1, 70), 3.0F);
    const auto count = static_cast<std::uint32_t>(logits.size());
    const std::uint32_t k = random.between(0, count + 1);
    std::vector<float> expected(count), got(count);
    std::vector<std::uint32_t> expected_indices(count + 1), indices(count + 1);
    const float temperature = random.between(0, 9) == 0 ? 0.0F : 0.7F;
    EXPECT_EQ(heed_softmax(logits.data(), count, temperature, got.data()),
              softmax(logits.data(), count, temperature, expected.data()));
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(float)), 0);
    EXPECT_EQ(heed_argmax(logits.data(), count), argmax(logits.data(), count));
    EXPECT_EQ(heed_top_k(logits.data(), count, k, indices.data()),
              top_k(logits.data(), count, k, expected_indices.data()));
    EXPECT_EQ(indices, expected_indices);
  }
  float one = 1.0F;
  std::uint32_t index = 0;
  EXPECT_EQ(heed_softmax(nullptr, 1, 1.0F, &one), Status::null_pointer);
  EXPECT_EQ(heed_softmax(&one, 1, 1.0F, nullptr), Status::null_pointer);
  EXPECT_EQ(heed_softmax(&one, 0, 1.0F, &one), Status::zero_dimension);
  EXPECT_EQ(heed_top_k(nullptr, 1, 1, &index), Status::null_pointer);
  EXPECT_EQ(heed_top_k(&one, 1, 2, &index), Status::bad_length);
  EXPECT_EQ(heed_argmax(nullptr, 5), 0U);
}

}  // namespace
}  // namespace heed::test
