// SPDX-License-Identifier: MIT
//
// `heed pack --tokenizer` from outside: which tokenizer.json it takes, and as what, and which it refuses.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "command/tokenizer_folder.hpp"
#include "heed/detail/token_layout.hpp"

namespace heed::test {
namespace {

class HeedPackTokenizer : public TokenizerFolderTest {};

/// Gemma's own file has its tab as a character in place of a byte, and a split at spaces, of which none are left.
TEST_F(HeedPackTokenizer, TakesGemmasTabAndSplit) {
  json tokenizer = vectors("llama2").at("tokenizer");
  json& vocabulary = tokenizer["model"]["vocab"];
  vocabulary["\t"] = vocabulary.at("<0x09>");
  vocabulary.erase("<0x09>");
  const json split{
      {"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
  tokenizer["pre_tokenizer"] = split;
  pack(tokenizer);
  const std::string text = "once\tupon  a \xF0\x9F\x98\x80\n\tday";
  const std::string ids = "1 422 324 326 12 342 337 366 357 360 357 243 162 155 131 259 12 325 428";
  write_bytes(path("text"), text);
  EXPECT_EQ(tokenized("--file text"), ids + "\n");
  write_bytes(path("ids"), ids);
  EXPECT_EQ(tokenized("--decode --skip-special --file ids"), text);
  json other = tokenizer;
  other["pre_tokenizer"]["pattern"]["String"] = "x";
  expect_refused(other, {"pattern: \"x\""});
  other = tokenizer;
  other["pre_tokenizer"]["behavior"] = "Isolated";
  expect_refused(other, {"behavior: Isolated"});
  other = tokenizer;
  other["pre_tokenizer"]["invert"] = true;
  expect_refused(other, {"invert: true"});
  other = tokenizer;
  other["normalizer"] = nullptr;
  expect_refused(other, {"pattern: \" \""});
  other = tokenizer;
  other["model"]["vocab"].erase("\t");
  expect_refused(other, {"tokens of only 255 bytes"});
}

/// What is kept by Removed with invert are the matches, as by Isolated.
TEST_F(HeedPackTokenizer, TakesASplitThatRemovesWhatIsBetween) {
  json tokenizer = vectors("llama3").at("tokenizer");
  pack(tokenizer);
  const std::string isolated = read_bytes(path("t.tok"));
  json& split = tokenizer["pre_tokenizer"]["pretokenizers"][0];
  split["behavior"] = "Removed";
  expect_refused(tokenizer, {"behavior: Removed"});
  split["invert"] = true;
  pack(tokenizer);
  EXPECT_EQ(read_bytes(path("t.tok")), isolated);
  split["behavior"] = "Isolated";
  expect_refused(tokenizer, {"invert: true"});
}

/// DeepSeek's chain, with ends of lines as they are or escaped, and what is like it.
TEST_F(HeedPackTokenizer, TakesAChainOfSplitsAsAWhole) {
  json tokenizer = vectors("deepseek").at("tokenizer");
  pack(tokenizer);
  const std::string packed = read_bytes(path("t.tok"));
  json& steps = tokenizer["pre_tokenizer"]["pretokenizers"];
  const json given = steps;
  std::string pattern = given[2]["pattern"]["Regex"];
  for (const auto& [line_end, escaped] : {std::pair{'\r', "\\r"}, std::pair{'\n', "\\n"}}) {
    for (std::size_t at = 0; (at = pattern.find(line_end, at)) != pattern.npos;) pattern.replace(at, 1, escaped);
  }
  steps[2]["pattern"]["Regex"] = pattern;
  pack(tokenizer);
  EXPECT_EQ(read_bytes(path("t.tok")), packed);
  const auto refuse = [&](const std::string& place, const json& value, const std::string& said) {
    steps = given;
    steps[json::json_pointer(place)] = value;
    expect_refused(tokenizer, {said});
  };
  refuse("/0/pattern/Regex", "\\p{N}{1,4}", "pattern: \\p{N}{1,4}, then [");
  refuse("/1/behavior", "Removed", "behavior: Removed");
  refuse("/2/invert", true, "invert: true");
  refuse("/1/news", 1, "news");
  steps = given;
  steps.erase(1);
  expect_refused(tokenizer, {"pattern: \\p{N}{1,3}, then [!"});
  steps = given;
  steps.insert(steps.begin() + 3, given[2]);
  expect_refused(tokenizer, {"is not supported, but those of GPT-2"});
}

TEST_F(HeedPackTokenizer, RefusesWhatItDoesNotUnderstand) {
  const json bytes = vectors("gpt2").at("tokenizer");
  const json characters = vectors("llama2").at("tokenizer");
  const json words = vectors("bert").at("tokenizer");
  const auto with = [](json tokenizer, const char* place, const json& value) {
    tokenizer[json::json_pointer(place)] = value;
    return tokenizer;
  };
  expect_refused(with(bytes, "/model/type", "Unigram"), {"vocab: a list of pieces"});
  expect_refused(with(bytes, "/model/type", "Wordless"), {"model: type: Wordless"});
  expect_refused(with(bytes, "/model/dropout", 0.5), {"dropout: 0.5"});
  expect_refused(with(bytes, "/model/news", 1), {"news"});
  expect_refused(with(bytes, "/news", 1), {"news"});
  expect_refused(with(bytes, "/normalizer", {{"type", "NFKC"}}), {"normalizer: type: NFKC"});
  expect_refused(with(bytes, "/pre_tokenizer/type", "Digits"), {"pre_tokenizer: type: Digits"});
  const json digits = vectors("smollm").at("tokenizer");
  expect_refused(with(digits, "/pre_tokenizer/pretokenizers/0/individual_digits", false), {"individual_digits"});
  expect_refused(with(digits, "/pre_tokenizer/pretokenizers/1/use_regex", false), {"use_regex"});
  expect_refused(with(bytes, "/pre_tokenizer", nullptr), {"pre_tokenizer: none"});
  expect_refused(
      with(bytes, "/pre_tokenizer",
           {{"type", "Split"}, {"pattern", {{"Regex", "\\d"}}}, {"behavior", "Isolated"}, {"invert", false}}),
      {"pattern: \\d"});
  expect_refused(with(bytes, "/added_tokens/0/id", 3), {"added_tokens: id: 3"});
  expect_refused(with(bytes, "/model/merges/0", json::array({"q", "zzz"})), {"merges: there is no token zzz"});
  expect_refused(with(bytes, "/post_processor/type", "News"), {"post_processor: type: News"});
  expect_refused(with(characters, "/decoder", nullptr), {"decoder: none"});
  expect_refused(with(characters, "/model/unk_token", "<none>"), {"unk_token"});
  expect_refused(with(characters, "/normalizer/normalizers/0/prepend", "x"), {"prepend: x"});
  expect_refused(with(characters, "/model/ignore_merges", true), {"ignore_merges"});
  expect_refused(with(words, "/model/continuing_subword_prefix", "@@"), {"continuing_subword_prefix: @@"});
  expect_refused(with(words, "/decoder/prefix", "@@"), {"prefix: @@"});
  expect_failure("pack --weights w --tokenizer refused.tok", {"--tokenizer means nothing without a folder"});
}

json added_token(std::uint32_t id, const std::string& content, const json& rules = json::object()) {
  json token{{"id", id}, {"content", content}};
  token.update(rules);
  return token;
}

/// A text, its tokens and what they decode to.
struct Row {
  const char* text;
  const char* ids;
  const char* decoded;
};

class HeedAddedTokens : public TokenizerFolderTest {
 protected:
  void expect(const std::vector<Row>& rows) const {
    for (const Row& row : rows) {
      write_bytes(path("text"), row.text);
      EXPECT_EQ(tokenized("--file text"), std::string(row.ids) + "\n") << row.text;
      write_bytes(path("ids"), row.ids);
      EXPECT_EQ(tokenized("--decode --file ids"), row.decoded) << row.text;
    }
  }
};

/// As tokenizers 0.23.2 has them, but that it does not leave out such a special one.
TEST_F(HeedAddedTokens, OfNormalizedTextDecodeAsTheyStandInIt) {
  json tokenizer = vectors("llama2").at("tokenizer");
  tokenizer["added_tokens"].push_back(added_token(480, "<tool>"));
  tokenizer["added_tokens"].push_back(added_token(481, "<end of>", {{"special", true}}));
  pack(tokenizer);
  expect({{"<tool> a", "1 480 360", "<s> <tool> a"},
          {"a <tool>b", "1 360 480 323", "<s> a <tool>b"},
          {"once<tool>", "1 422 324 326 287 467 414 289", "<s> once<tool>"},
          {"x <end of> y", "1 357 345 481 357 346", "<s> x <end of> y"}});
  EXPECT_EQ(tokenized("--decode --skip-special --text '357 345 481 357 346'"), "x y");
  EXPECT_EQ(tokenized("--decode --skip-special --text '360 480 323'"), "a <tool>b");
  // A character of text stays one, and decodes without what is in front of it.
  const std::uint32_t letter = tokenizer["model"]["vocab"].at("x");
  tokenizer["added_tokens"].push_back(added_token(letter, "x"));
  write_folder(tokenizer);
  const Ended ended = run("pack folder --tokenizer t.tok");
  EXPECT_NE(ended.out.find("added_tokens: x decodes as it is written"), std::string::npos) << ended.out;
  EXPECT_EQ(tokenized("--text axb"), "1 360 345 323\n");
}

/// One that finds no white space left is none, as in tokenizers 0.23.2, which ends where there is less than none left.
TEST_F(HeedAddedTokens, OfWhiteSpaceAreNoneWhereTheOneBeforeHasTakenIt) {
  json tokenizer = vectors("gpt2").at("tokenizer");
  const std::uint32_t next = tokenizer["added_tokens"].back().at("id").get<std::uint32_t>() + 1;
  ASSERT_EQ(next, 378U);
  tokenizer["added_tokens"].push_back(added_token(378, " ", {{"lstrip", true}, {"normalized", false}}));
  tokenizer["added_tokens"].push_back(added_token(379, "xa", {{"rstrip", true}, {"normalized", false}}));
  pack(tokenizer);
  expect({{"xa The", "379 84 257", "xaThe"},
          {"xa   The", "379 84 257", "xaThe"},
          {" xa", "378 379", " xa"},
          {"a xa b", "97 378 379 98", "a xab"}});
}

/// The library above gives 378, 379 and 380.
TEST_F(HeedAddedTokens, HaveTheNumbersThatTheFileSays) {
  json tokenizer = vectors("gpt2").at("tokenizer");
  json& added = tokenizer["added_tokens"];
  added.push_back(added_token(383, "<far>", {{"normalized", false}}));
  added.push_back(added_token(387, "<end>", {{"normalized", false}, {"special", true}}));
  added.push_back(added_token(387, "<reserved>", {{"normalized", false}}));
  write_folder(tokenizer);
  const Ended ended = run("pack folder --tokenizer t.tok");
  EXPECT_NE(ended.out.find("added_tokens: 3 have the numbers that the file says, as 383 <far>,"), std::string::npos)
      << ended.out << ended.error;
  expect({{"a<far>b<end><reserved>", "97 383 98 387 387", "a<far>b<end><end>"}});
  EXPECT_EQ(tokenized("--decode --skip-special --text '97 387'"), "a");
  added.back()["content"] = "<end>";
  expect_refused(tokenizer, {"added_tokens: content: <end> is there twice"});
  added.back()["content"] = std::string(256, 'a');
  expect_refused(tokenizer, {"a token of 256 bytes is not supported, but of 255"});
  added.back() = added_token(16777213, "<reserved>");
  expect_refused(tokenizer, {"token 16777213 is one of", "so great a number"});
  added.erase(added.size() - 1);
  tokenizer["model"]["vocab"]["zzz"] = 70000;
  expect_refused(tokenizer, {"vocab: token 70000 is one of 377 alone"});
}

/// Names that share a bucket of the table, of which each would be compared.
TEST_F(HeedAddedTokens, OrOthersMadeToShareABucketAreRefused) {
  constexpr std::uint32_t bits = 7;
  json tokenizer = vectors("gpt2").at("tokenizer");
  tokenizer["added_tokens"] = json::array();
  tokenizer["post_processor"] = nullptr;
  tokenizer["model"]["merges"] = json::array();
  json& vocabulary = tokenizer["model"]["vocab"] = json::object();
  for (unsigned number = 0; vocabulary.size() <= detail::most_in_bucket; ++number) {
    const std::string name = std::to_string(number);
    if (detail::bucket_of(detail::add_hash(detail::hash_seed, name.data(), name.size()), bits) != 0) continue;
    vocabulary[name] = vocabulary.size();
    if (vocabulary.size() == detail::most_in_bucket) pack(tokenizer);
  }
  expect_refused(tokenizer, {"the library does not take its table of the pieces"});
}

/// GPT-4o's vocabulary here, as tokenizers 0.23.2 splits with Tekken's expression.
TEST_F(HeedAddedTokens, AndTekkensSplitter) {
  json tokenizer = vectors("gpt4o").at("tokenizer");
  tokenizer["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] =
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?)"
      R"([^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  pack(tokenizer);
  expect({{"don't HTTPServer", "100 267 39 116 32 72 84 84 80 83 262 118 262", "don't HTTPServer"},
          {"We'LL 12345 a/\n", "87 101 39 76 76 32 49 50 51 52 53 32 97 47 10", "We'LL 12345 a/\n"},
          {"1234 \n\n x", "49 50 51 52 32 310 32 120", "1234 \n\n x"}});
}

}  // namespace
}  // namespace heed::test
