// SPDX-License-Identifier: MIT
//
// A model file with its tokenizer in it, from outside: stories656K (HEED_STORIES656K, or ../shared/stories656k; skipped
// without it).
#include <gtest/gtest.h>

#include <string>

#include "command/tokenizer_folder.hpp"

namespace heed::test {
namespace {

class HeedModelTokenizer : public TokenizerFolderTest {};

TEST_F(HeedModelTokenizer, ModelHasItsTokenizerAfterIt) {
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
  EXPECT_EQ(run("tokenize m.heed --text Once").out, tokenized("--text Once"));
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

TEST_F(HeedModelTokenizer, SaysWhyAModelHasNoTokenizer) {
  if (!std::filesystem::exists(stories656k() / "tokenizer.json")) GTEST_SKIP() << "no stories656K";
  std::filesystem::create_directories(path("folder"));
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::create_symlink(std::filesystem::absolute(stories656k() / name), path("folder/") + name);
  }
  const auto packed = [&](const json& tokenizer) {
    write_folder(tokenizer);
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

}  // namespace
}  // namespace heed::test
