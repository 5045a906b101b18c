// SPDX-License-Identifier: MIT
//
// `heed pack --tokenizer` from outside: which tokenizer.json it takes, and as what, and which it refuses.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "command/tokenizer_folder.hpp"

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

}  // namespace
}  // namespace heed::test
