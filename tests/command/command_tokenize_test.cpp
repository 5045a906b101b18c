// SPDX-License-Identifier: MIT
//
// `heed tokenize` from outside: the tokens and texts of Hugging Face's tokenizers library (tests/data/tokenizers, made
// by tests/text/oracle), those of stories656K (HEED_STORIES656K, or ../shared/stories656k), and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "command/tokenizer_folder.hpp"
#include "guard/guarded.hpp"
#include "heed/heed_text.h"
#include "heed/text.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

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

class HeedTokenize : public TokenizerFolderTest {};

class HeedTokenizeKinds : public HeedTokenize, public testing::WithParamInterface<const char*> {};

TEST_P(HeedTokenizeKinds, HasTheTokensAndTextsOfTheLibrary) {
  const json data = vectors(GetParam());
  pack(data.at("tokenizer"));
  const json& texts = data.at("texts");
  ASSERT_GE(texts.size(), 80U);
  // Three processes for a text; the test of the C functions has every text.
  const std::uint32_t divisor = case_divisor();
  for (std::size_t i = 0; i < texts.size(); i += divisor) {
    const json& row = texts[i];
    write_bytes(path("text"), from_hex(row.at("bytes")));
    const std::string ids = ids_text(row.at("ids"));
    EXPECT_EQ(tokenized("--file text"), ids + "\n") << row.at("bytes");
    write_bytes(path("ids"), ids);
    EXPECT_EQ(tokenized("--decode --file ids"), row.at("all").get<std::string>()) << row.at("bytes");
    EXPECT_EQ(tokenized("--decode --skip-special --file ids"), row.at("text").get<std::string>()) << row.at("bytes");
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

TEST_F(HeedTokenize, Stories656K) {
  if (!std::filesystem::exists(stories656k() / "tokenizer.json")) GTEST_SKIP() << "no stories656K";
  expect_success("pack '" + stories656k().string() + "' --out m.heed --tokenizer t.tok");
  std::ifstream texts(stories656k() / "tokenizer_vectors.json");
  for (const json& row : json::parse(texts)) {
    write_bytes(path("text"), row.at("text"));
    EXPECT_EQ(tokenized("--file text"), ids_text(row.at("ids")) + "\n");
    EXPECT_EQ(tokenized("--no-template --file text"), ids_text(row.at("without_special")) + "\n");
    write_bytes(path("ids"), ids_text(row.at("ids")));
    EXPECT_EQ(tokenized("--decode --skip-special --file ids"), row.at("decoded").get<std::string>());
    // Of a release before 0.23, from which on a normalized token decodes with the space that is put in front of it.
    std::string all = row.at("decoded_all");
    for (const std::string name : {"<unk>", "<|start_story|>"}) {
      for (std::size_t at = 1; (at = all.find(name, at)) != std::string::npos; at += name.size()) all.insert(at++, " ");
    }
    EXPECT_EQ(tokenized("--decode --file ids"), all);
  }
  std::ifstream stories(stories656k() / "greedy.json");
  int stops = 0;
  for (const json& story : json::parse(stories)) {
    json ids = story.at("prompt");
    for (const json& token : story.at("tokens")) ids.push_back(token);
    write_bytes(path("ids"), ids_text(ids));
    const std::string text = tokenized("--decode --skip-special --file ids");
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

TEST_F(HeedTokenize, AnEmptyTextIsOne) {
  pack(vectors("bert").at("tokenizer"));
  EXPECT_EQ(tokenized("--text '' < /dev/null"), tokenized("--text ' '"));
  EXPECT_EQ(tokenized("--no-template --text ''"), "\n");
  EXPECT_EQ(tokenized("--decode --text ''"), "");
  expect_failure("tokenize t.tok --file ''", {"--file: the value is empty"});
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
