// SPDX-License-Identifier: MIT
//
// `heed pack --tokenizer` and `heed tokenize` from outside: the tokens and texts of Hugging Face's tokenizers library
// (tests/data/tokenizers, made by tests/text/oracle), those of stories656K (HEED_STORIES656K, or
// ../shared/stories656k), and what is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command/command.hpp"

namespace heed::test {
namespace {

using nlohmann::json;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string ids_text(const json& ids) {
  std::string text;
  for (const json& id : ids) text += (text.empty() ? "" : " ") + id.dump();
  return text;
}

class HeedTokenize : public CommandTest {
 protected:
  static json vectors(const std::string& name) {
    std::ifstream stream(std::string(HEED_TEST_DATA) + "/tokenizers/" + name + ".json");
    return json::parse(stream);
  }

  void pack(const json& tokenizer) const {
    std::filesystem::create_directories(path("folder"));
    write_bytes(path("folder/tokenizer.json"), tokenizer.dump());
    expect_success("pack folder --tokenizer t.tok");
  }

  [[nodiscard]] std::string out(const std::string& arguments) const {
    const Ended ended = run("tokenize t.tok " + arguments);
    EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
    return ended.out;
  }

  void expect_refused(const json& tokenizer, const std::vector<std::string>& parts) const {
    std::filesystem::create_directories(path("folder"));
    write_bytes(path("folder/tokenizer.json"), tokenizer.dump());
    expect_failure("pack folder --tokenizer refused.tok", parts);
  }
};

/// Gemma's own file has its tab as a character in place of a byte, and a split at spaces, of which none are left.
TEST_F(HeedTokenize, TakesGemmasTabAndSplit) {
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
  EXPECT_EQ(out("--file text"), ids + "\n");
  write_bytes(path("ids"), ids);
  EXPECT_EQ(out("--decode --skip-special --file ids"), text);
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
TEST_F(HeedTokenize, TakesASplitThatRemovesWhatIsBetween) {
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

class HeedTokenizeKinds : public HeedTokenize, public testing::WithParamInterface<const char*> {};

TEST_P(HeedTokenizeKinds, HasTheTokensAndTextsOfTheLibrary) {
  const json data = vectors(GetParam());
  pack(data.at("tokenizer"));
  ASSERT_EQ(data.at("texts").size(), 80U);
  for (const json& row : data.at("texts")) {
    write_bytes(path("text"), from_hex(row.at("bytes")));
    const std::string ids = ids_text(row.at("ids"));
    EXPECT_EQ(out("--file text"), ids + "\n") << row.at("bytes");
    write_bytes(path("ids"), ids);
    EXPECT_EQ(out("--decode --file ids"), row.at("all").get<std::string>()) << row.at("bytes");
    EXPECT_EQ(out("--decode --skip-special --file ids"), row.at("text").get<std::string>()) << row.at("bytes");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeedTokenizeKinds,
                         testing::Values("gpt2", "roberta", "llama3", "qwen2", "llama2", "meta_first", "meta_always",
                                         "bert", "bert_cased"));

std::filesystem::path stories656k() {
  const char* const from_environment = std::getenv("HEED_STORIES656K");
  return from_environment != nullptr ? from_environment : HEED_SOURCE_DIR "/../shared/stories656k";
}

TEST_F(HeedTokenize, Stories656K) {
  if (!std::filesystem::exists(stories656k() / "tokenizer.json")) GTEST_SKIP() << "no stories656K";
  expect_success("pack '" + stories656k().string() + "' --out m.heed --tokenizer t.tok");
  std::ifstream texts(stories656k() / "tokenizer_vectors.json");
  for (const json& row : json::parse(texts)) {
    write_bytes(path("text"), row.at("text"));
    EXPECT_EQ(out("--file text"), ids_text(row.at("ids")) + "\n");
    EXPECT_EQ(out("--no-template --file text"), ids_text(row.at("without_special")) + "\n");
    write_bytes(path("ids"), ids_text(row.at("ids")));
    EXPECT_EQ(out("--decode --skip-special --file ids"), row.at("decoded").get<std::string>());
    EXPECT_EQ(out("--decode --file ids"), row.at("decoded_all").get<std::string>());
  }
  std::ifstream stories(stories656k() / "greedy.json");
  int stops = 0;
  for (const json& story : json::parse(stories)) {
    json ids = story.at("prompt");
    for (const json& token : story.at("tokens")) ids.push_back(token);
    write_bytes(path("ids"), ids_text(ids));
    const std::string text = out("--decode --skip-special --file ids");
    const std::string prompt = story.at("text");
    const std::string generate = "generate m.heed --tokenizer t.tok --temperature 0 --tokens " +
                                 std::to_string(story.at("tokens").size()) + " --prompt \"" + prompt + "\"";
    const Ended ended = run(generate);
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.out, text + "\n");
    // The text ends before the first place of --stop after the prompt.
    const std::string stop = text.substr((prompt.size() + text.size()) / 2, 7);
    if (stop.size() < 7 || stop.find('\'') != stop.npos) continue;
    const Ended stopped = run(generate + " --stop '" + stop + "'");
    EXPECT_EQ(stopped.out, text.substr(0, text.find(stop, prompt.size())) + "\n") << stop;
    ++stops;
  }
  EXPECT_GE(stops, 1);
}

TEST_F(HeedTokenize, RefusesWhatItDoesNotUnderstand) {
  const json bytes = vectors("gpt2").at("tokenizer");
  const json characters = vectors("llama2").at("tokenizer");
  const json words = vectors("bert").at("tokenizer");
  const auto with = [](json tokenizer, const char* place, const json& value) {
    tokenizer[json::json_pointer(place)] = value;
    return tokenizer;
  };
  expect_refused(with(bytes, "/model/type", "Unigram"), {"model: type: Unigram"});
  expect_refused(with(bytes, "/model/dropout", 0.5), {"dropout: 0.5"});
  expect_refused(with(bytes, "/model/news", 1), {"news"});
  expect_refused(with(bytes, "/news", 1), {"news"});
  expect_refused(with(bytes, "/normalizer", {{"type", "NFKC"}}), {"normalizer: type: NFKC"});
  expect_refused(with(bytes, "/pre_tokenizer/type", "Digits"), {"pre_tokenizer: type: Digits"});
  expect_refused(with(bytes, "/pre_tokenizer", nullptr), {"pre_tokenizer: none"});
  expect_refused(
      with(bytes, "/pre_tokenizer",
           {{"type", "Split"}, {"pattern", {{"Regex", "\\d"}}}, {"behavior", "Isolated"}, {"invert", false}}),
      {"pattern: \\d"});
  expect_refused(with(bytes, "/added_tokens/0/single_word", true), {"single_word: <|endoftext|>"});
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

TEST_F(HeedTokenize, RefusesWhatIsNoTokenOrFile) {
  pack(vectors("bert").at("tokenizer"));
  expect_failure("tokenize t.tok --decode --text '1 x'", {"--decode: x"});
  expect_failure("tokenize t.tok --decode --text 99999999", {"there is no token 99999999"});
  expect_failure("tokenize t.tok --text a --file b", {"--text and --file"});
  std::string file = read_bytes(path("t.tok"));
  file[file.size() / 2] = static_cast<char>(file[file.size() / 2] ^ 1);
  write_bytes(path("changed.tok"), file);
  expect_failure("tokenize changed.tok --text a", {"changed.tok: checksum"});
  write_bytes(path("short.tok"), file.substr(0, 100));
  expect_failure("tokenize short.tok --text a", {"short.tok: length of the header"});
}

}  // namespace
}  // namespace heed::test
