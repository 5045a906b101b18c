// SPDX-License-Identifier: MIT
//
// `heed run` from outside: the library's numbers for tiny random models, the labels of KWT-1 (HEED_KWT1, or
// ../shared/kwt1), and every way to refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "command/run_models.hpp"
#include "layer/kwt1.hpp"

namespace heed::test {
namespace {

TEST_F(HeedRun, GivesTheLibrarysLogitsForFrames) {
  const TinyModel model(tiny_vit, true);
  write_model("m.heed", model);
  const std::vector<float> frames = random_.normals(2 * 4 * 6);
  write_npy("x.npy", {2, 4, 6}, frames);
  AlignedMemory file = model.file();
  BuiltModel built(file.span(), {.rows = 5, .max_keys = 5});
  std::vector<float> expected(14);
  for (std::size_t i = 0; i < 2; ++i) {
    const ConstMatrix entry = dense(frames.data() + i * 24, 4, 6);
    ASSERT_EQ(built.model.encode(entry, 4, expected.data() + i * 7), Status::ok);
  }
  expect_success("run m.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 7}), expected);
  expect_success("run m.heed --input x.npy --output y.npy --workers 3 --scratch-budget 999");
  EXPECT_EQ(read_npy("y.npy", {2, 7}), expected);
  write_npy("one.npy", {4, 6}, std::vector<float>(frames.begin(), frames.begin() + 24));
  expect_success("run m.heed --input one.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {7}), std::vector<float>(expected.begin(), expected.begin() + 7));
}

TEST_F(HeedRun, GivesADecodersLogitsOfTheLastTokenOrOfEvery) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  const std::vector<std::int32_t> tokens{3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  write_npy("x.npy", {2, 5}, tokens);
  AlignedMemory file = model.file();
  std::vector<float> every;
  for (std::size_t i = 0; i < tokens.size(); i += 5) {
    BuiltModel built(file.span(), {.rows = 1, .max_keys = 5});
    for (std::size_t j = i; j < i + 5; ++j) {
      every.resize(every.size() + 19);
      ASSERT_EQ(built.model.decode(static_cast<std::uint32_t>(tokens[j]), every.data() + every.size() - 19),
                Status::ok);
    }
  }
  expect_success("run m.heed --input x.npy --output y.npy --every");
  EXPECT_EQ(read_npy("y.npy", {2, 5, 19}), every);
  std::vector<float> last(every.begin() + 4 * 19, every.begin() + 5 * 19);
  last.insert(last.end(), every.begin() + 9 * 19, every.end());
  expect_success("run m.heed --input x.npy --output y.npy --rows 2");
  EXPECT_EQ(read_npy("y.npy", {2, 19}), last);
  ModelConfig config = tiny_llama;
  config.pooling = Pooling::every;
  write_model("every.heed", TinyModel(config, false));
  expect_success("run every.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 5, 19}), every);
}

TEST_F(HeedRun, LooksAtAContext) {
  ModelConfig config = tiny_llama;
  config.block.cross_dim = 9;
  const TinyModel model(config, false);
  write_model("m.heed", model);
  const std::vector<std::int64_t> tokens{3, 1, 4};
  write_npy("x.npy", {3}, tokens);
  const std::vector<float> context = random_.normals(4 * 9);
  write_npy("c.npy", {4, 9}, context);
  AlignedMemory file = model.file();
  BuiltModel built(file.span(), {.rows = 3, .max_keys = 3, .max_cross_keys = 4});
  ASSERT_EQ(built.model.set_context(dense(context.data(), 4, 9), 4), Status::ok);
  std::vector<float> expected(19);
  const std::vector<std::uint32_t> ids(tokens.begin(), tokens.end());
  ASSERT_EQ(built.model.prefill(ids, expected.data()), Status::ok);
  expect_success("run m.heed --input x.npy --output y.npy --context c.npy");
  EXPECT_EQ(read_npy("y.npy", {19}), expected);
  expect_failure("run m.heed --input x.npy --output out.npy", {"--context is needed"});
}

TEST_F(HeedRun, PrintsTheLikeliestLabels) {
  write_model("m.heed", TinyModel(tiny_vit, true));
  write_npy("x.npy", {4, 6}, random_.normals(24));
  write_bytes(path("labels.txt"), "a\nb\nc\r\nd\ne\nf\ng g\n");
  const Ended ended = run("run m.heed --input x.npy --output y.npy --labels labels.txt");
  ASSERT_EQ(ended.code, 0) << ended.error;
  const std::vector<float> logits = read_npy("y.npy", {7});
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(double{logit});
  const auto best = static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  char first[32];
  const char* const names[] = {"a", "b", "c", "d", "e", "f", "g g"};
  std::snprintf(first, sizeof first, "%.4f  %s\n", std::exp(double{logits[best]}) / sum, names[best]);
  EXPECT_EQ(ended.out.rfind(first, 0), 0U) << ended.out;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 5);
  write_bytes(path("labels.txt"), "a\nb\n");
  expect_failure("run m.heed --input x.npy --labels labels.txt", {"--labels: labels.txt: 2 lines", "7 outputs"});
  TinyModel wild(tiny_vit, true);
  const std::vector<float> head(std::size_t{7} * 12, 3e38F);
  wild.ends.head = head.data();
  write_model("wild.heed", wild);
  write_bytes(path("labels.txt"), "a\nb\nc\nd\ne\nf\ng\n");
  expect_failure("run wild.heed --input x.npy --output out.npy --labels labels.txt", {"--labels: ", "NaN or infinite"});
}

TEST_F(HeedRun, Refuses) {
  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_model("llama.heed", TinyModel(tiny_llama, false));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  write_npy("tokens.npy", {3}, std::vector<std::int32_t>{1, 2, 18});
  write_npy("wild.npy", {3}, std::vector<std::int32_t>{1, 2, 19});
  write_npy("long.npy", {5, 6}, random_.normals(30));
  const auto refuse = [&](const std::string& arguments, const std::vector<std::string>& parts) {
    expect_failure("run " + arguments + " --output out.npy", parts);
  };
  refuse("vit.heed", {"--input"});
  refuse("vit.heed --input none.npy", {"--input: cannot read none.npy"});
  refuse("vit.heed --input tokens.npy", {"--input: tokens.npy"});
  refuse("vit.heed --input long.npy", {"--input long.npy: 6 rows", "the model has 5 positions"});
  write_npy("many.npy", {17}, std::vector<std::int32_t>(17, 3));
  refuse("llama.heed --input many.npy", {"--input many.npy: 17 rows", "the model has 16 positions"});
  expect_failure("run llama.heed --input tokens.npy", {"nothing is asked for", "--output"});
  refuse("vit.heed --input frames.npy --rows 2", {"--input"});
  refuse("vit.heed --input frames.npy --every", {"--every"});
  refuse("vit.heed --input frames.npy --context frames.npy", {"--context means nothing"});
  refuse("llama.heed --input frames.npy", {"--input: frames.npy", "int32 or int64"});
  refuse("llama.heed --input wild.npy", {"wild.npy", "token 2 is 19", "vocabulary has 19"});
  refuse("llama.heed --input tokens.npy --kv-type x", {"--kv-type x"});
  refuse("llama.heed --input tokens.npy --kv-type int8_channels:int8", {"--kv-type int8_channels:int8: no option"});
  refuse("llama.heed --input tokens.npy --every --labels tokens.npy", {"--labels", "rows"});
}

TEST_F(HeedRun, RefusesModelFiles) {
  write_npy("frames.npy", {2, 3}, random_.normals(6));
  const ModelConfig config{.block = {.model_dim = 2, .heads = 1, .mlp_dim = 3},
                           .blocks = 1,
                           .input_dim = 3,
                           .max_positions = 3,
                           .outputs = 2,
                           .input = ModelInput::frames,
                           .encoder = true};
  write_model("m.heed", TinyModel(config, true));
  const std::string sound = read_bytes(path("m.heed"));
  const std::string run_it = "run bad.heed --input frames.npy --output out.npy";
  for (std::size_t length = 0; length < sound.size(); length += length < 200 ? 21 : 331) {
    write_bytes(path("bad.heed"), sound.substr(0, length));
    const std::string has = "the file has " + std::to_string(length) + " bytes, and ";
    const std::string needs =
        length < 192 ? "the header alone needs 192" : "its header says " + std::to_string(sound.size());
    expect_failure(run_it, {"bad.heed: length: ", "not a model file", has + needs + "\n"});
  }
  for (std::size_t at = 0; at < 192; at += 5) {
    std::string changed = sound;
    changed[at] ^= 16;
    write_bytes(path("bad.heed"), changed);
    const char* const field = at < 4 ? "magic number" : at < 8 ? "version" : at < 12 ? "" : "checksum";
    expect_failure(run_it, {std::string("bad.heed: ") + field});
  }
  expect_failure("run m.heed --input frames.npy --output out.npy --rows 1073741825", {"m.heed: --rows 1073741825: "});
  expect_failure("plan m.heed --rows 1073741825", {"m.heed: --rows 1073741825: the most is "});
  write_model("llama.heed", TinyModel(tiny_llama, false));
  expect_failure("plan llama.heed --max-keys 1073741825", {"--max-keys 1073741825: the model has 16 positions"});
  write_bytes(path("bad.heed"), sound + "more");
  expect_failure(run_it, {"bad.heed: length: 4 bytes come after the model"});
  expect_failure("inspect bad.heed", {"bad.heed: length"});
  expect_failure("plan bad.heed", {"bad.heed: length"});
}

TEST_F(HeedRun, GivesTheLabelsOfKwt1) {
  const std::filesystem::path data = data_directory();
  if (!std::filesystem::exists(data / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 data in " << data << "; set HEED_KWT1 to its directory";
  }
  write_bytes(path("m.json"), R"({"block": {"model_dim": 64, "heads": 1, "mlp_dim": 256, "norm_epsilon": 1e-6,
    "norm_placement": "after", "activation": "gelu_tanh"}, "blocks": 12, "input_dim": 40, "max_positions": 99,
    "outputs": 12, "input": "frames", "pooling": "first", "class_token": true, "causal": false, "final_norm": false})");
  ASSERT_EQ(run("pack --model m.json --weights '" + (data / "kwt1.safetensors").string() + "' --out m.heed").code, 0);
  EXPECT_EQ(parsed("inspect m.heed --json").at("totals").at("parameters"), 607308);
  const std::vector<std::string> names{"_silence_", "_unknown_", "yes", "no",  "up",   "down",
                                       "left",      "right",     "on",  "off", "stop", "go"};
  std::string labels;
  for (const std::string& name : names) labels += name + "\n";
  write_bytes(path("labels.txt"), labels);
  Tensors clips(data / "fixtures.safetensors");
  std::ifstream stream(data / "fixtures.json");
  std::size_t seen = 0;
  for (const auto& fixture : json::parse(stream)) {
    const std::string clip = fixture.at("clip");
    write_npy("x.npy", {98, 40}, clips[clip + ".features"]);
    const Ended ended = run("run m.heed --input x.npy --output y.npy --labels labels.txt");
    ASSERT_EQ(ended.code, 0) << ended.error;
    char first[32];
    std::snprintf(first, sizeof first, "%.4f  ", fixture.at("probability").get<double>());
    EXPECT_EQ(ended.out.substr(0, ended.out.find('\n')), first + fixture.at("label").get<std::string>()) << clip;
    const std::vector<float> golden = clips[clip + ".logits"];
    expect_near(read_npy("y.npy", {12}), {golden.begin(), golden.end()}, 2e-5);
    ++seen;
  }
  EXPECT_EQ(seen, 11U);
}

}  // namespace
}  // namespace heed::test
