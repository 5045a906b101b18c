// SPDX-License-Identifier: MIT
//
// `heed pack --tokenizer` and `heed tokenize` from outside: the tokens and texts of Hugging Face's tokenizers library
// (tests/data/tokenizers, made by tests/text/oracle), those of stories656K (HEED_STORIES656K, or
// ../shared/stories656k), and what is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "guard/guarded.hpp"
#include "heed/heed_text.h"
#include "heed/text.hpp"

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

/// DeepSeek's chain, with ends of lines as they are or escaped, and what is like it.
TEST_F(HeedTokenize, TakesAChainOfSplitsAsAWhole) {
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

class HeedTokenizeKinds : public HeedTokenize, public testing::WithParamInterface<const char*> {};

TEST_P(HeedTokenizeKinds, HasTheTokensAndTextsOfTheLibrary) {
  const json data = vectors(GetParam());
  pack(data.at("tokenizer"));
  ASSERT_GE(data.at("texts").size(), 80U);
  for (const json& row : data.at("texts")) {
    write_bytes(path("text"), from_hex(row.at("bytes")));
    const std::string ids = ids_text(row.at("ids"));
    EXPECT_EQ(out("--file text"), ids + "\n") << row.at("bytes");
    write_bytes(path("ids"), ids);
    EXPECT_EQ(out("--decode --file ids"), row.at("all").get<std::string>()) << row.at("bytes");
    EXPECT_EQ(out("--decode --skip-special --file ids"), row.at("text").get<std::string>()) << row.at("bytes");
  }
}

/// Every buffer of the C functions lies at one end of its page and the next one may not be touched.
TEST_P(HeedTokenizeKinds, CHasTheSameAndStaysInItsBuffers) {
  const json data = vectors(GetParam());
  pack(data.at("tokenizer"));
  const std::string file = read_bytes(path("t.tok"));
  const GuardedMemory file_memory(file.size());
  const GuardedMemory text_memory(1 << 12);
  const GuardedMemory word_memory(1 << 18);
  const GuardedMemory room_memory(1 << 12);
  FaultReport report;
  for (const Edge edge : {Edge::front, Edge::back}) {
    const std::span<std::byte> kept = file_memory.place(file.size(), edge);
    std::memcpy(kept.data(), file.data(), file.size());
    TextTokenizer cpp;
    ASSERT_EQ(cpp.bind(kept), Status::ok);
    heed_text_tokenizer c{};
    ASSERT_EQ(heed_text_tokenizer_bind(&c, kept.data(), kept.size()), Status::ok);
    EXPECT_EQ(heed_text_tokenizer_kind(&c), cpp.kind());
    EXPECT_EQ(heed_text_tokenizer_tokens(&c), cpp.tokens());
    // [SEP] or </s>, as the template of the file has it.
    const std::string name = GetParam();
    const bool ends = name.starts_with("bert") || name == "roberta" || name == "t5" || name == "xlmr";
    EXPECT_EQ(heed_text_tokenizer_end_tokens(&c), ends ? 1U : 0U);
    EXPECT_EQ(cpp.end_tokens(), ends ? 1U : 0U);
    ASSERT_EQ(heed_decode_bytes(&c), cpp.decode_bytes());
    for (const json& row : data.at("texts")) {
      const std::string text = from_hex(row.at("bytes"));
      report.running("%s, %s", GetParam(), row.at("bytes").get<std::string>().c_str());
      const std::span<std::byte> given = text_memory.place(text.size(), edge);
      std::memcpy(given.data(), text.data(), text.size());
      const std::size_t count = HEED_TEXT_WORDS(text.size());
      auto* const words = reinterpret_cast<std::uint32_t*>(word_memory.place(4 * count, edge).data());
      std::vector<std::uint32_t> expected(count);
      std::uint32_t made = 0;
      std::uint32_t expected_count = 0;
      const auto* const letters = reinterpret_cast<const char*>(given.data());
      for (const bool whole : {false, true}) {
        EXPECT_EQ(heed_encode_text(&c, letters, text.size(), whole ? 1 : 0, words, count, &made), Status::ok);
        ASSERT_EQ(encode_text(cpp, text, whole, expected, expected_count), Status::ok);
        ASSERT_EQ(made, expected_count);
        EXPECT_EQ(std::memcmp(words, expected.data(), std::size_t{4} * made), 0) << row.at("bytes");
      }
      const std::span<std::byte> room = room_memory.place(heed_decode_bytes(&c), edge);
      auto* const shown = reinterpret_cast<char*>(room.data());
      std::vector<char> expected_room(room.size());
      heed_text_decoder stream{};
      TextDecoder twin;
      ASSERT_EQ(heed_text_decoder_bind(&stream, &c, 1), Status::ok);
      ASSERT_EQ(twin.bind(cpp, true), Status::ok);
      for (std::uint32_t i = 0; i <= made; ++i) {
        std::size_t bytes = 0;
        std::size_t expected_bytes = 0;
        const bool last = i == made;
        EXPECT_EQ(last ? heed_text_decoder_finish(&stream, shown, room.size(), &bytes)
                       : heed_text_decoder_decode(&stream, words[i], shown, room.size(), &bytes),
                  last ? twin.finish(expected_room, expected_bytes)
                       : twin.decode(expected[i], expected_room, expected_bytes));
        ASSERT_EQ(bytes, expected_bytes);
        EXPECT_EQ(std::memcmp(shown, expected_room.data(), bytes), 0) << row.at("bytes");
        EXPECT_TRUE(last || (heed_ends_text(&c, words[i]) != 0) == cpp.ends_text(words[i]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeedTokenizeKinds,
                         testing::Values("gpt2", "smollm", "roberta", "llama3", "qwen2", "gpt4o", "deepseek", "llama2",
                                         "meta_first", "meta_always", "bert", "bert_cased", "t5", "xlmr",
                                         "unigram_first", "unigram_bytes"));

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

TEST_F(HeedTokenize, ModelHasItsTokenizerBehindIt) {
  if (!std::filesystem::exists(stories656k() / "tokenizer.json")) GTEST_SKIP() << "no stories656K";
  const std::string folder = "'" + stories656k().string() + "'";
  const Ended packed = run("pack " + folder + " --out m.heed --tokenizer t.tok");
  ASSERT_EQ(packed.code, 0) << packed.error;
  EXPECT_NE(packed.out.find("its tokenizer is in it: "), packed.out.npos) << packed.out;
  expect_success("pack " + folder + " --out bare.heed --no-tokenizer");
  const std::string file = read_bytes(path("m.heed"));
  const std::string bare = read_bytes(path("bare.heed"));
  const std::string tokenizer = read_bytes(path("t.tok"));
  const std::size_t begin = (bare.size() + 63) / 64 * 64;
  EXPECT_EQ(file, bare + std::string(begin - bare.size(), '\0') + tokenizer);

  const std::string rest = " --temperature 0 --tokens 24 --prompt 'Once upon a time'";
  const Ended own = run("generate m.heed" + rest);
  const Ended beside = run("generate bare.heed --tokenizer t.tok" + rest);
  ASSERT_EQ(own.code, 0) << own.error;
  EXPECT_EQ(own.out.rfind("Once upon a time", 0), 0U);
  EXPECT_EQ(own.out, beside.out);
  EXPECT_EQ(beside.error.find("in place of"), beside.error.npos);
  const Ended both = run("generate m.heed --tokenizer t.tok" + rest);
  EXPECT_EQ(both.out, own.out);
  EXPECT_EQ(both.error.rfind("--tokenizer t.tok in place of the tokenizer in m.heed\n", 0), 0U) << both.error;
  expect_failure("generate bare.heed", {"bare.heed: there is no tokenizer in it: --tokenizer is required"});
  EXPECT_EQ(run("tokenize m.heed --text Once").out, out("--text Once"));
  expect_failure("tokenize bare.heed --text a", {"bare.heed: ", "a model without a tokenizer"});
  const std::string bytes = std::to_string(tokenizer.size());
  EXPECT_NE(run("inspect m.heed").out.find(bytes + " bytes, kind characters, 2048 tokens\n"), std::string::npos);
  EXPECT_EQ(json::parse(run("inspect m.heed --json").out).at("tokenizer").at("bytes"), tokenizer.size());
  EXPECT_FALSE(json::parse(run("inspect bare.heed --json").out).contains("tokenizer"));
  EXPECT_EQ(json::parse(run("plan m.heed --json").out).at("totals").at("weights"), file.size());

  // Cut, longer, changed, or not where it must be.
  const auto refuse = [&](const std::string& bytes_of_it, const char* part) {
    write_bytes(path("bad.heed"), bytes_of_it);
    expect_failure("generate bad.heed", {"bad.heed: ", part});
    expect_failure("inspect bad.heed", {"bad.heed: ", part});
    expect_failure("tokenize bad.heed --text a", {"bad.heed: "});
  };
  refuse(file.substr(0, file.size() - 64), "are a tokenizer whose header says");
  refuse(file.substr(0, begin + 40), "are a tokenizer whose header says");
  refuse(file.substr(0, begin + 8), "8 bytes come after the model");
  refuse(file + std::string(64, '\0'), "are a tokenizer whose header says");
  refuse(bare + std::string(64, '\0') + tokenizer, "bytes come after the model");
  std::string changed = file;
  changed[begin + 4000] = static_cast<char>(changed[begin + 4000] ^ 1);
  refuse(changed, "checksum of the tokenizer after the model");
  changed = file;
  changed[begin] = 'X';
  refuse(changed, "and they are no tokenizer");
}

TEST_F(HeedTokenize, SaysWhyAModelHasNoTokenizer) {
  if (!std::filesystem::exists(stories656k() / "tokenizer.json")) GTEST_SKIP() << "no stories656K";
  std::filesystem::create_directories(path("folder"));
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::create_symlink(std::filesystem::absolute(stories656k() / name), path("folder/") + name);
  }
  const auto packed = [&](const json& tokenizer) {
    write_bytes(path("folder/tokenizer.json"), tokenizer.dump());
    const Ended ended = run("pack folder --out m.heed");
    EXPECT_EQ(ended.code, 0) << ended.error;
    expect_failure("generate m.heed", {"there is no tokenizer in it"});
    return ended.out;
  };
  json tokenizer = vectors("gpt2").at("tokenizer");
  tokenizer["news"] = 1;
  const std::string unknown = packed(tokenizer);
  EXPECT_NE(unknown.find("no tokenizer in it: "), unknown.npos) << unknown;
  EXPECT_NE(unknown.find("news"), unknown.npos) << unknown;
  tokenizer.erase("news");
  tokenizer["added_tokens"][0]["id"] = 5000;
  const std::string larger = packed(tokenizer);
  EXPECT_NE(larger.find("no tokenizer in it: "), larger.npos) << larger;
  expect_failure("pack --weights w --out m.heed --no-tokenizer", {"--no-tokenizer means nothing without a folder"});
}

TEST_F(HeedTokenize, RefusesWhatItDoesNotUnderstand) {
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
