// SPDX-License-Identifier: MIT
//
// Unigram vocabularies and added tokens from outside: against a search that is written down plainly, in doubles, and
// what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "command/tokenizer_folder.hpp"
#include "heed/text.hpp"
#include "support/aligned_memory.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

class HeedUnigram : public TokenizerFolderTest {
 protected:
  static json tokenizer_of(const std::string& name) { return vectors(name).at("tokenizer"); }

  [[nodiscard]] AlignedMemory packed(const json& tokenizer) const {
    pack(tokenizer);
    const std::string bytes = read_bytes(path("t.tok"));
    return AlignedMemory(std::as_bytes(std::span(bytes)));
  }
};

std::vector<std::uint32_t> encoded(const TextTokenizer& tokenizer, const std::string& text) {
  std::vector<std::uint32_t> words(text_words(text.size()));
  std::uint32_t count = 0;
  EXPECT_EQ(encode_unigram(tokenizer, text, false, words, count), Status::ok) << text;
  words.resize(count);
  return words;
}

/// The best sum for each end, over all pieces and all beginnings: every sum from the left, the first of equal ones.
std::vector<std::uint32_t> best_of(const json& vocabulary, std::uint32_t unknown, const std::string& text) {
  std::vector<double> best(text.size() + 1, 0);
  std::vector<std::pair<std::size_t, std::uint32_t>> last(text.size() + 1, {~std::size_t{0}, 0});
  double least = 0;
  for (const json& entry : vocabulary) least = std::min(least, entry[1].get<double>());
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t length = 1; begin + length <= text.size(); ++length) {
      double score = least - 10;
      std::uint32_t token = unknown;
      for (std::uint32_t i = 0; i < vocabulary.size(); ++i) {
        if (vocabulary[i][0] != text.substr(begin, length)) continue;
        token = i;
        score = vocabulary[i][1];
      }
      if (token == unknown && length > 1) continue;
      const std::size_t end = begin + length;
      const double sum = score + best[begin];
      if (last[end].first != ~std::size_t{0} && !(sum > best[end])) continue;
      best[end] = sum;
      last[end] = {begin, token};
    }
  }
  std::vector<std::uint32_t> tokens;
  for (std::size_t end = text.size(); end != 0; end = last[end].first) {
    const bool fused = last[end].second == unknown && !tokens.empty() && tokens.back() == unknown;
    if (!fused) tokens.push_back(last[end].second);
  }
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

TEST_F(HeedUnigram, HasTheBestPieces) {
  Random random(21);
  for (int round = 0; round < 12; ++round) {
    // Scores of few bits make equal sums, others sums that differ in their last bits.
    const bool few = round % 2 == 0;
    json vocabulary = json::array({json::array({"<unk>", 0.0})});
    for (std::uint32_t i = 0; i < 40; ++i) {
      std::string piece;
      for (std::uint32_t left = random.between(1, 4); left != 0; --left) {
        piece += static_cast<char>('a' + random.between(0, 2));
      }
      const bool known =
          std::any_of(vocabulary.begin(), vocabulary.end(), [&](const json& e) { return e[0] == piece; });
      const double score = -static_cast<double>(random.between(1, few ? 6 : 1000000)) / (few ? 2.0 : 65536.0);
      if (!known) vocabulary.push_back(json::array({piece, score * static_cast<double>(piece.size())}));
    }
    const json tokenizer{{"version", "1.0"},
                         {"decoder", {{"type", "Metaspace"}, {"replacement", "\xE2\x96\x81"}}},
                         {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}}}};
    AlignedMemory file = packed(tokenizer);
    TextTokenizer bound;
    ASSERT_EQ(bound.bind(file.span()), Status::ok);
    EXPECT_EQ(bound.kind(), TokenizerKind::unigram);
    for (int i = 0; i < 300; ++i) {
      std::string text;
      for (std::uint32_t left = random.between(1, 40); left != 0; --left) {
        text += static_cast<char>('a' + random.between(0, random.between(0, 9) == 0 ? 3 : 2));
      }
      ASSERT_EQ(encoded(bound, text), best_of(vocabulary, 0, text)) << text << '\n' << vocabulary;
    }
  }
}

TEST_F(HeedUnigram, OtherKindsOfTokenizersAreNotRead) {
  AlignedMemory file = packed(tokenizer_of("t5"));
  TextTokenizer tokenizer;
  ASSERT_EQ(tokenizer.bind(file.span()), Status::ok);
  std::vector<std::uint32_t> words(text_words(1));
  std::uint32_t count = 9;
  EXPECT_EQ(encode_characters(tokenizer, std::string_view("a"), true, words, count), Status::bad_option);
  EXPECT_EQ(encode_unigram(TextTokenizer(), std::string_view("a"), true, words, count), Status::not_initialised);
  EXPECT_EQ(encode_unigram(tokenizer, std::string_view("a"), true, std::span(words).first(2), count),
            Status::bad_length);
  EXPECT_EQ(count, 9U);
  file = packed(tokenizer_of("bert"));
  ASSERT_EQ(tokenizer.bind(file.span()), Status::ok);
  EXPECT_EQ(encode_unigram(tokenizer, std::string_view("a"), true, words, count), Status::bad_option);
}

/// U+FDFA becomes 18 characters and 33 bytes, more than any other; and there are ten unknown ones of four bytes.
TEST_F(HeedUnigram, WordsSufficeWhereTextGrows) {
  for (const char* name : {"t5", "xlmr", "unigram_first", "unigram_bytes"}) {
    AlignedMemory file = packed(tokenizer_of(name));
    TextTokenizer tokenizer;
    ASSERT_EQ(tokenizer.bind(file.span()), Status::ok);
    for (const char* part : {"\xEF\xB7\xBA", "\xFF", " ", "\xF0\x90\x80\x80", "a\xCC\x81",
                             "\xEF\xB7\xBA"
                             "a"}) {
      std::string text;
      for (int i = 0; i < 40; ++i) encoded(tokenizer, text += part);
    }
  }
}

/// As Hugging Face's library: what has letters, digits, marks or connectors beside it is no match, and is passed over.
TEST_F(HeedUnigram, SingleWords) {
  json tokenizer = tokenizer_of("gpt2");
  json& added = tokenizer["added_tokens"];
  const std::uint32_t first = added.back().at("id").get<std::uint32_t>() + 1;
  for (const char* name : {"cat", "ca", "cat cat"}) {
    json token = added.back();
    token["id"] = added.back().at("id").get<std::uint32_t>() + 1;
    token["content"] = name;
    token["lstrip"] = token["rstrip"] = false;
    token["single_word"] = std::string(name) == "cat";
    added.push_back(token);
  }
  pack(tokenizer);
  const auto count_of = [&](const std::string& text, std::uint32_t token) {
    write_bytes(path("text"), text);
    const std::string ids = " " + run("tokenize t.tok --file text").out;
    std::size_t count = 0;
    const std::string name = " " + std::to_string(token);
    for (std::size_t at = ids.find(name); at != ids.npos; at = ids.find(name, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(count_of("cat", first), 1U);
  EXPECT_EQ(count_of("a cat, cat.", first), 2U);
  EXPECT_EQ(count_of("concat cats cat_ 1cat cat\xCC\x81 \xC3\xA9"
                     "cat",
                     first),
            0U);
  EXPECT_EQ(count_of("concat cats", first + 1), 0U);
  EXPECT_EQ(count_of("ca", first + 1), 1U);
  EXPECT_EQ(count_of("\xFF"
                     "cat\xFF \xE2\x82\xAC"
                     "cat\xE2\x82\xAC",
                     first),
            2U);
  EXPECT_EQ(count_of("cat cat", first), 0U);
  EXPECT_EQ(count_of("cat cat cat", first + 2), 1U);
}

/// Few added tokens are compared one by one, many are found in a trie: the same tokens.
TEST_F(HeedUnigram, ManyAddedTokensAreFoundAsFew) {
  json few = tokenizer_of("qwen2");
  json many = few;
  for (int i = 0; i < 40; ++i) {
    json token = few.at("added_tokens").back();
    token["id"] = token["id"].get<std::uint32_t>() + 1 + static_cast<std::uint32_t>(i);
    token["content"] = "<|never " + std::to_string(i) + "|>";
    many["added_tokens"].push_back(token);
  }
  const std::string text = "a<|im_start|><|im_start <|im_end|><tool_call><|never|><|never 4| <tool_call";
  write_bytes(path("text"), text);
  pack(few);
  const std::string expected = run("tokenize t.tok --file text").out;
  pack(many);
  EXPECT_EQ(run("tokenize t.tok --file text").out, expected);
  write_bytes(path("text"), std::string("<|never 3|>"));
  EXPECT_EQ(run("tokenize t.tok --file text").out,
            many.at("added_tokens").at(few.at("added_tokens").size() + 3).at("id").dump() + "\n");
}

TEST_F(HeedUnigram, RefusesWhatItDoesNotUnderstand) {
  const json tokenizer = tokenizer_of("xlmr");
  const auto with = [&](const char* place, const json& value) {
    json changed = tokenizer;
    changed[json::json_pointer(place)] = value;
    return changed;
  };
  expect_refused(with("/model/unk_id", nullptr), {"unk_id: the number of a token"});
  expect_refused(with("/model/unk_id", 100000), {"unk_id: the number of a token"});
  expect_refused(with("/model/news", 1), {"model: news"});
  expect_refused(with("/model/vocab", json::object()), {"vocab: a list of pieces and scores"});
  expect_refused(with("/model/vocab/9", json::array({"a"})), {"vocab: a piece and its score"});
  expect_refused(with("/model/vocab/9/0", ""), {"vocab: token 9 has not 1 to 48 characters"});
  expect_refused(with("/model/vocab/9/0", std::string(49, 'a')), {"vocab: token 9 has not 1 to 48 characters"});
  expect_refused(with("/model/vocab/9/0", "<s>"), {"vocab: <s> is there twice"});
  expect_refused(with("/model/vocab/9/1", "x"), {"a score is needed"});
  expect_refused(with("/model/vocab/9/1", 1e99), {"its score is not between"});
  expect_refused(with("/model/byte_fallback", 3), {"byte_fallback"});
  expect_refused(with("/normalizer", {{"type", "NFKD"}}), {"normalizer: type: NFKD is not supported with Unigram"});
  expect_refused(with("/normalizer/normalizers/1/strip_left", true), {"strip_left: true"});
  expect_refused(with("/normalizer/normalizers/2/pattern/Regex", " +"), {"pattern: \" +\""});
  expect_refused(with("/normalizer/normalizers/2/content", "x"), {"by \"x\""});
  json swapped = tokenizer;
  std::swap(swapped["normalizer"]["normalizers"][0], swapped["normalizer"]["normalizers"][1]);
  expect_refused(swapped, {"Precompiled is not supported after the step before it"});
  const char* const map = "/normalizer/normalizers/0/precompiled_charsmap";
  expect_refused(with(map, "a?=="), {"precompiled_charsmap: it is not base64"});
  expect_refused(with(map, ""), {"precompiled_charsmap: it ends too early"});
  expect_refused(with(map, "/////w=="), {"precompiled_charsmap: it ends too early"});
  expect_refused(with(map, "OAAAAAAQAAAAAACAAQAAgAEtAAAAAAAAAREAAAIRAAADOAAABAAAgAAAAAAGAACAAAAAAAAAAAAEHQAA"),
                 {"precompiled_charsmap: its trie leads out of its texts"});
  expect_refused(with("/pre_tokenizer", {{"type", "Whitespace"}}), {"pre_tokenizer: type: Whitespace"});
  json first = tokenizer_of("t5");
  first["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] = "first";
  expect_refused(first, {"prepend_scheme: first is not supported after WhitespaceSplit"});
  json named = tokenizer_of("unigram_first");
  named["added_tokens"][1]["content"] = "two  spaces";
  expect_refused(named, {"two  spaces: the normalizer changes it"});
  json bytes = tokenizer_of("unigram_bytes");
  bytes["model"]["vocab"][9][0] = "none";
  expect_refused(bytes, {"tokens of only 255 bytes"});
}

}  // namespace
}  // namespace heed::test
