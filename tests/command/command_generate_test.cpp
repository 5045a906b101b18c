// SPDX-License-Identifier: MIT
//
// `heed generate` from outside: the golden tokens and texts of stories260K (HEED_STORIES, or ../shared/stories260k),
// and a tiny random model everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "command/model_files.hpp"
#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "text/stories.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

class HeedGenerate : public CommandTest {
 protected:
  [[nodiscard]] std::vector<std::uint32_t> read_ids(const std::string& name) const {
    // int32 after a header of 10 bytes and as many as it says.
    const std::string file = read_bytes(path(name));
    const std::size_t begin = 10 + static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
    EXPECT_NE(file.find("<i4"), std::string::npos);
    std::vector<std::uint32_t> ids((file.size() - begin) / 4);
    std::memcpy(ids.data(), file.data() + begin, 4 * ids.size());
    return ids;
  }

  /// The text; standard error has the speed.
  [[nodiscard]] std::string text(const std::string& arguments) const {
    const Ended ended = run("generate " + arguments);
    EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
    EXPECT_TRUE(std::regex_match(ended.error, std::regex("[0-9]+ tokens in [0-9.]+ s: [0-9.]+ tokens/s\n")))
        << ended.error;
    return ended.out;
  }
};

class HeedGenerateStories : public HeedGenerate {
 protected:
  void SetUp() override {
    if (const std::string missing = stories_are_missing(); !missing.empty()) GTEST_SKIP() << missing;
    const std::filesystem::path data = stories_directory();
    ASSERT_EQ(run("pack --llama2c '" + (data / "stories260K.bin").string() + "' --out m.heed").code, 0);
    model_ = "m.heed --tokenizer '" + (data / "tok512.bin").string() + "' ";
  }

  std::string model_;
};

TEST_F(HeedGenerateStories, WritesTheGoldenTokensAndTexts) {
  std::size_t rows = 0;
  for (const auto& golden : golden_stories()) {
    const std::string prompt = golden.at("prompt");
    const std::vector<std::uint32_t> tokens = golden.at("tokens");
    const std::size_t count = tokens.size() - golden.at("prompt_tokens").size();
    std::string arguments = model_ + "--temperature 0 --ids ids.npy --tokens " + std::to_string(count);
    if (!prompt.empty()) arguments += " --prompt '" + prompt + "'";
    for (const char* memory : {"", " --rows 1 --workers 3", " --rows 3 --scratch-budget 2000"}) {
      EXPECT_EQ(text(arguments + memory), with_bytes(golden.at("text")) + "\n") << prompt << memory;
      EXPECT_EQ(read_ids("ids.npy"), tokens) << prompt << memory;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 4U);
}

TEST_F(HeedGenerateStories, DrawsTheSameForASeed) {
  const std::string arguments = model_ + "--prompt 'Once upon a time' --tokens 60 ";
  const std::string first = text(arguments + "--seed 7");
  EXPECT_EQ(first, text(arguments + "--seed 7 --workers 2 --rows 2"));
  EXPECT_NE(first, text(arguments + "--seed 8"));
  EXPECT_EQ(first.rfind("Once upon a time", 0), 0U);
  EXPECT_EQ(text(arguments + "--top-k 1"), text(arguments + "--temperature 0"));
  for (const char* type : {"f16", "bf16", "int8", "int4", "int8:f16"}) {
    EXPECT_EQ(text(arguments + "--kv-type " + type).rfind("Once upon a time", 0), 0U) << type;
  }
  expect_failure("generate " + model_ + "--tokens 512", {"--tokens", "512 positions"});
  for (const char* draw : {"--seed", "--top-k", "--top-p"}) {
    expect_failure("generate " + model_ + "--temperature 0 " + draw + " 1",
                   {std::string(draw) + " means nothing with --temperature 0, which draws no token"});
  }
}

class HeedGenerateTiny : public HeedGenerate {
 protected:
  static ModelConfig config(std::uint32_t vocabulary) {
    ModelConfig config = tiny_llama;
    config.input_dim = config.outputs = vocabulary;
    config.rotary_layout = RotaryLayout::interleaved;
    config.max_positions = 24;
    return config;
  }

  HeedGenerateTiny() : tokenizer_(tokenizer_file(std::vector<std::string_view>{" ", "a", "b", "ab", " ab"})) {
    write_bytes(path("t.bin"), tokenizer_);
    Tokenizer tokenizer;
    EXPECT_EQ(tokenizer.bind(std::as_bytes(std::span(tokenizer_))), Status::ok);
    model_.emplace(config(tokenizer.tokens()), false);
    write_bytes(path("m.bin"), llama2c_bytes(*model_));
    EXPECT_EQ(run("pack --llama2c m.bin --out m.heed").code, 0);
  }

  /// What the library makes of a prompt.
  [[nodiscard]] std::vector<std::uint32_t> expected(const std::string& prompt, std::size_t made,
                                                    const Sampling& sampling, std::uint64_t seed) const {
    AlignedMemory file = model_->file();
    BuiltModel built(file.span(), {.rows = 24, .max_keys = 24});
    Tokenizer tokenizer;
    EXPECT_EQ(tokenizer.bind(std::as_bytes(std::span(tokenizer_))), Status::ok);
    std::vector<std::uint32_t> tokens = encoded(tokenizer, prompt);
    std::vector<float> logits(tokenizer.tokens());
    std::vector<std::uint32_t> order(logits.size());
    EXPECT_EQ(built.model.prefill(tokens, logits.data()), Status::ok);
    RandomBits random(seed);
    for (std::size_t i = 0; i < made; ++i) {
      std::uint32_t token = 0;
      EXPECT_EQ(sample_token(sampling, logits, order, random, token), Status::ok);
      tokens.push_back(token);
      EXPECT_EQ(built.model.decode(token, logits.data()), Status::ok);
    }
    return tokens;
  }

  std::string tokenizer_;
  std::optional<TinyModel> model_;
};

TEST_F(HeedGenerateTiny, MakesWhatTheLibraryMakes) {
  const std::string arguments = "m.heed --tokenizer t.bin --prompt 'ab ab' --tokens 15 --ignore-end --ids ids.npy ";
  static_cast<void>(text(arguments + "--temperature 0"));
  EXPECT_EQ(read_ids("ids.npy"), expected("ab ab", 15, {.temperature = 0.0F}, 0));
  static_cast<void>(text(arguments + "--temperature 1.5 --top-k 9 --top-p 0.8 --seed 18446744073709551615"));
  EXPECT_EQ(read_ids("ids.npy"),
            expected("ab ab", 15, {.temperature = 1.5F, .top_k = 9, .top_p = 0.8F}, 18446744073709551615U));
}

TEST_F(HeedGenerateTiny, TellsOfEveryTypeOfTheCache) {
  const std::string help = run("generate --help").out;
  for (const std::string type : {"f32", "f16", "bf16", "int8", "int4"}) {
    EXPECT_NE(help.find(type), std::string::npos) << type;
    static_cast<void>(text("m.heed --tokenizer t.bin --tokens 1 --kv-type " + type));
  }
}

TEST_F(HeedGenerateTiny, LeavesTheHashesOfEveryPass) {
  const std::string arguments = "m.heed --tokenizer t.bin --prompt 'ab ab' --tokens 4 --ignore-end --stages ";
  static_cast<void>(text(arguments + "a.json"));
  static_cast<void>(text(arguments + "b.json --workers 2"));
  // The prompt and three tokens, each with its embedding, three stages of two blocks, and the output.
  EXPECT_EQ(run("compare a.json b.json").out, "32 stages are the same\n");
  static_cast<void>(text(arguments + "c.json --kv-type int8"));
  expect_difference("compare a.json c.json", {"pass 1: block 0, attention is the first that differs"});
}

TEST_F(HeedGenerateTiny, StopsAtTheEnd) {
  TinyModel model(config(model_->config.input_dim), false);
  std::vector<float> head(std::size_t{model.config.outputs} * 12, 0.0F);
  model.ends.head = head.data();
  write_bytes(path("m.bin"), llama2c_bytes(model));
  ASSERT_EQ(run("pack --llama2c m.bin --out end.heed").code, 0);
  // All logits are 0, so that --top-k 2 draws the unknown token, which is 0, as often as that which begins a text.
  const std::string arguments = "end.heed --tokenizer t.bin --tokens 20 --top-k 2 --top-p 1 --ids ids.npy ";
  static_cast<void>(text(arguments + "--ignore-end"));
  const std::vector<std::uint32_t> all = read_ids("ids.npy");
  ASSERT_EQ(all.size(), 21U);
  const auto end = std::find(all.begin() + 1, all.end(), Tokenizer::begin_token);
  ASSERT_NE(end, all.end());
  static_cast<void>(text(arguments));
  EXPECT_EQ(read_ids("ids.npy"), std::vector<std::uint32_t>(all.begin(), end));
}

TEST_F(HeedGenerateTiny, TellsOfLogitsThatAreNoNumbers) {
  TinyModel model(config(model_->config.input_dim), false);
  std::vector<float> head(std::size_t{model.config.outputs} * 12, 3e38F);
  model.ends.head = head.data();
  write_bytes(path("m.bin"), llama2c_bytes(model));
  ASSERT_EQ(run("pack --llama2c m.bin --out wild.heed").code, 0);
  for (const char* temperature : {"0", "1"}) {
    const Ended ended =
        run(std::string("generate wild.heed --tokenizer t.bin --prompt a --ids out.npy --temperature ") + temperature);
    EXPECT_EQ(ended.code, 2);
    EXPECT_NE(ended.error.find("heed: the logits for the token at position "), std::string::npos) << ended.error;
    EXPECT_NE(ended.error.find(" are no finite numbers, the first that of token "), std::string::npos) << ended.error;
    EXPECT_FALSE(std::filesystem::exists(path("out.npy")));
  }
}

// Its text is never shown, so that no text ends before it.
TEST_F(HeedGenerateTiny, StopsBeforeASpecialToken) {
  std::ifstream stream(HEED_TEST_DATA "/tokenizers/bert.json");
  std::filesystem::create_directory(path("folder"));
  write_bytes(path("folder/tokenizer.json"), nlohmann::json::parse(stream).at("tokenizer").dump());
  expect_success("pack folder --tokenizer bert.tok");
  TinyModel model(config(715), false);
  std::vector<float> head(std::size_t{model.config.outputs} * 12, 0.0F);
  model.ends.head = head.data();  // every token is as likely, and the first one is taken: [PAD]
  write_bytes(path("m.bin"), llama2c_bytes(model));
  ASSERT_EQ(run("pack --llama2c m.bin --out pad.heed").code, 0);
  const std::string line =
      "pad.heed --tokenizer bert.tok --prompt a --temperature 0 --tokens 8 --ignore-end --ids i.npy ";
  const std::string all = text(line);
  const std::size_t prompt = read_ids("i.npy").size() - 8;
  EXPECT_EQ(text(line + "--stop '[PAD]'"), all);
  EXPECT_EQ(read_ids("i.npy").size(), prompt + 1);
  static_cast<void>(text(line + "--stop '[SEP]'"));
  EXPECT_EQ(read_ids("i.npy").size(), prompt + 8);
  expect_failure("generate " + line + "--stop 'a[PAD]'", {"--stop: [PAD] is a special token"});
}

TEST_F(HeedGenerateTiny, Refuses) {
  const std::string good = "generate m.heed --tokenizer t.bin ";
  expect_failure("generate --tokenizer t.bin", {"model"});
  expect_failure("generate m.heed", {"--tokenizer"});
  expect_failure("generate none.heed --tokenizer t.bin", {"cannot read none.heed"});
  expect_failure("generate t.bin --tokenizer t.bin", {"t.bin: magic number"});
  expect_failure("generate m.heed --tokenizer m.heed", {"--tokenizer: m.heed", "not a tokenizer file"});
  for (const std::string number : {"-1", "nan", "inf", "0.0005", "1001"}) {
    const std::string line = good + "--prompt a --temperature " + number;
    expect_failure(line, {"--temperature " + number + ": 0, or 0.001 to 1000 is needed"});
    EXPECT_EQ(run(line).out, "") << line;
  }
  // To the library a top_p of 0 is all tokens, which the name does not say.
  for (const std::string number : {"2", "-0.1", "nan", "0"}) {
    const std::string line = good + "--prompt a --top-p " + number;
    expect_failure(line, {"--top-p " + number + ": a number above 0, and at most 1, is needed"});
    EXPECT_EQ(run(line).out, "") << line;
  }
  expect_failure(good + "--prompt ''", {"--prompt: the value is empty"});
  for (const std::string seed : {"-1", "+1", "010", "0x10", "1e3", "1.0"}) {
    expect_failure(good + "--seed " + seed, {"--seed: " + seed + " is not a whole number in decimal digits"});
  }
  for (const std::string seed : {"18446744073709551616", "99999999999999999999999"}) {
    expect_failure(good + "--seed " + seed, {"--seed: Value " + seed + " not in range 0 to 18446744073709551615"});
  }
  expect_failure(good + "--rows 1073741825", {"m.heed: --rows 1073741825: the most is ", " for this model"});
  expect_failure(good + "--top-k 0", {"--top-k"});
  expect_failure(good + "--top-k 1000", {"--top-k 1000: the model has "});
  expect_failure(good + "--seed x", {"--seed"});
  expect_failure(good + "--kv-type f8", {"--kv-type f8"});
  expect_failure(good + "--tokens 24", {"--tokens", "23 of the model's 24 positions"});
  expect_failure(good + "--prompt aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", {"--prompt", "24 positions"});
  expect_failure(good + "--ids no/such/out.npy --tokens 1", {"--ids: cannot write"});
  write_bytes(path("other.bin"), tokenizer_file(std::vector<std::string_view>{" ", "a"}));
  expect_failure("generate m.heed --tokenizer other.bin", {"--tokenizer other.bin", "tokens, and the model has"});
}

TEST_F(HeedGenerateTiny, RefusesBrokenTokenizers) {
  for (std::size_t length = 0; length < tokenizer_.size(); length += length < 40 ? 3 : 97) {
    write_bytes(path("cut.bin"), tokenizer_.substr(0, length));
    expect_failure("generate m.heed --tokenizer cut.bin", {"--tokenizer: cut.bin: ", ", at token "});
  }
  std::string changed = tokenizer_;
  changed[11] = '\x7F';  // the highest byte of the length of token 0
  write_bytes(path("changed.bin"), changed);
  expect_failure("generate m.heed --tokenizer changed.bin", {"changed.bin: ", "token "});
}

}  // namespace
}  // namespace heed::test
