// SPDX-License-Identifier: MIT
//
// A trained language model of 260,032 parameters (stories260K, the Llama architecture) against results computed in
// double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/text.hpp"
#include "support/effort.hpp"
#include "text/stories.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 64;
constexpr std::uint32_t vocabulary = 512;
constexpr std::uint32_t blocks = 5;
constexpr std::uint32_t kv_dim = 32;
constexpr std::uint32_t mlp_dim = 172;

constexpr ModelConfig config{.block = {.model_dim = dim,
                                       .heads = 8,
                                       .kv_heads = 4,
                                       .mlp_dim = mlp_dim,
                                       .norm_epsilon = 1e-5F,
                                       .norm = Norm::rms_norm,
                                       .activation = Activation::silu,
                                       .gated = true},
                             .blocks = blocks,
                             .input_dim = vocabulary,
                             .max_positions = 512,
                             .outputs = vocabulary,
                             .rotary_base = 10000.0F,
                             .rotary_layout = RotaryLayout::interleaved,
                             .positions = Positions::rotary,
                             .tied_head = true};

AlignedMemory read_stories(DataType type = DataType::float32) {
  std::ifstream stream(stories_directory() / "stories260K.bin", std::ios::binary);
  stream.seekg(7 * sizeof(std::int32_t));
  std::vector<float> numbers(300000);
  stream.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  const float* next = numbers.data();
  const auto take = [&](std::size_t count) {
    const float* taken = next;
    next += count;
    return taken;
  };
  ModelWeights ends;
  ends.input = take(vocabulary * dim);
  const float* const attention_norm = take(blocks * dim);
  const float* const query = take(blocks * dim * dim);
  const float* const key = take(blocks * kv_dim * dim);
  const float* const value = take(blocks * kv_dim * dim);
  const float* const output = take(blocks * dim * dim);
  const float* const mlp_norm = take(blocks * dim);
  const float* const gate = take(blocks * mlp_dim * dim);
  const float* const down = take(blocks * dim * mlp_dim);
  const float* const up = take(blocks * mlp_dim * dim);
  ends.final_norm.weight = take(dim);
  std::vector<BlockWeights> weights(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    BlockWeights& block = weights[i];
    block.attention_norm.weight = attention_norm + i * dim;
    block.attention.query = query + i * dim * dim;
    block.attention.key = key + i * kv_dim * dim;
    block.attention.value = value + i * kv_dim * dim;
    block.attention.output = output + i * dim * dim;
    block.mlp_norm.weight = mlp_norm + i * dim;
    block.gate = gate + i * mlp_dim * dim;
    block.down = down + i * dim * mlp_dim;
    block.up = up + i * mlp_dim * dim;
  }
  ModelConfig typed = config;
  typed.block.weight_type = typed.input_type = typed.head_type = type;
  return packed_model(typed, ends, weights);
}

class StoriesModel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = stories_are_missing(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(StoriesModel, WritesTheGoldenTokens) {
  AlignedMemory file = read_stories();
  for (const auto& golden : golden_stories()) {
    BuiltModel built(file.span(), {.rows = 16, .max_keys = 256});
    const std::vector<std::uint32_t> prompt = golden.at("prompt_tokens");
    const std::vector<std::uint32_t> expected = golden.at("tokens");
    std::vector<std::uint32_t> tokens = prompt;
    std::vector<float> logits(vocabulary);
    ASSERT_EQ(built.model.prefill(prompt, logits.data()), Status::ok);
    while (tokens.size() < expected.size()) {
      tokens.push_back(argmax(logits.data(), vocabulary));
      ASSERT_EQ(built.model.decode(tokens.back(), logits.data()), Status::ok);
    }
    EXPECT_EQ(tokens, expected) << golden.at("prompt");
  }
}

/// The doubles of a .npy file.
std::vector<double> read_doubles(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string head(10, ' ');
  stream.read(head.data(), 10);
  const int length = static_cast<unsigned char>(head[8]) + 256 * static_cast<unsigned char>(head[9]);
  stream.seekg(0, std::ios::end);
  std::vector<double> values((static_cast<std::size_t>(stream.tellg()) - 10 - static_cast<std::size_t>(length)) / 8);
  stream.seekg(10 + length);
  stream.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
  return values;
}

double largest_difference(std::span<const float> values, std::span<const double> golden) {
  if (values.size() > golden.size()) return INFINITY;
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) worst = std::max(worst, std::abs(double{values[i]} - golden[i]));
  return worst;
}

struct GoldenLayers {
  double worst = 0.0;
  std::uint32_t seen = 0;

  static void see(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                  std::uint32_t columns) {
    if (stage != Stage::attention && stage != Stage::block) return;
    auto& layers = *static_cast<GoldenLayers*>(context);
    const std::string name = std::to_string(block) + "_" + to_string(stage) + ".npy";
    const std::vector<double> golden = read_doubles(stories_directory() / "layers" / name);
    double most = 0.0;
    for (const double number : golden) most = std::max(most, std::abs(number));
    const double difference = largest_difference({values, std::size_t{rows} * columns}, golden) / most;
    EXPECT_LE(difference, 1e-5) << name;
    layers.worst = std::max(layers.worst, difference);
    ++layers.seen;
  }
};

TEST_F(StoriesModel, EveryLayerOfOneStory) {
  AlignedMemory file = read_stories();
  BuiltModel built(file.span(), {.rows = 48, .max_keys = 256});
  const std::vector<std::uint32_t> tokens = golden_stories()[1].at("tokens");
  GoldenLayers layers;
  built.model.observe({&layers, &GoldenLayers::see});
  std::vector<float> logits(vocabulary);
  ASSERT_EQ(built.model.prefill({tokens.data(), 48}, logits.data()), Status::ok);
  EXPECT_EQ(layers.seen, 2 * blocks);
  std::printf("largest difference, relative to the largest value: %.1e\n", layers.worst);
}

TEST_F(StoriesModel, LogitsOfOneStoryAndEverySplit) {
  AlignedMemory file = read_stories();
  const nlohmann::json golden = golden_stories()[1];
  const std::vector<std::uint32_t> tokens = golden.at("tokens");
  const std::vector<double> expected = read_doubles(stories_directory() / "logits.npy");
  BuiltModel one_by_one(file.span(), {.rows = 1, .max_keys = 256});
  std::vector<float> logits(vocabulary);
  double worst = 0.0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    ASSERT_EQ(one_by_one.model.decode(tokens[t], logits.data()), Status::ok);
    worst = std::max(worst, largest_difference(logits, std::span(expected).subspan(t * vocabulary, vocabulary)));
  }
  EXPECT_LE(worst, 2e-5 * golden.at("largest_logit").get<double>());
  std::printf("largest difference of a logit: %.1e of %.1f\n", worst, golden.at("largest_logit").get<double>());
  for (const std::uint32_t rows : {1U, 7U, 64U, 200U}) {
    BuiltModel at_once(file.span(), {.rows = rows, .max_keys = 200, .scratch_budget = 16 * 1024});
    std::vector<float> last(vocabulary);
    ASSERT_EQ(at_once.model.prefill(tokens, last.data()), Status::ok);
    EXPECT_EQ(last, logits) << rows << " rows at a time";
  }
}

/// Mean of -ln p of the tokens of some golden stories.
double mean_negative_log_likelihood(const nlohmann::json& stories, std::span<const std::byte> file,
                                    const BlockMemory& memory) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const auto& golden : stories) {
    BuiltModel built(file, memory);
    const std::vector<std::uint32_t> tokens = golden.at("tokens");
    std::vector<float> logits(vocabulary);
    for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
      EXPECT_EQ(built.model.decode(tokens[t], logits.data()), Status::ok);
      double total = 0.0;
      for (const float logit : logits) total += std::exp(double{logit});
      sum += std::log(total) - double{logits[tokens[t + 1]]};
      ++count;
    }
  }
  return sum / static_cast<double>(count);
}

TEST_F(StoriesModel, WhatRoundingCosts) {
  nlohmann::json stories = golden_stories();
  if (case_divisor() != 1) stories.erase(stories.begin() + 1, stories.end());
  double expected = 0.0;
  for (const auto& golden : stories) {
    expected += golden.at("mean_nll").get<double>() / static_cast<double>(stories.size());
  }
  const BlockMemory plain{.rows = 1, .max_keys = 256};
  AlignedMemory exact = read_stories();
  EXPECT_NEAR(mean_negative_log_likelihood(stories, exact.span(), plain), expected, 1e-5);
  std::printf("mean of -ln p: %.4f with float32\n", expected);
  const double most[] = {0.0, 0.001, 0.005, 0.01, 0.01, 0.2};
  for (std::uint32_t type = 1; type <= 5; ++type) {
    AlignedMemory file = read_stories(static_cast<DataType>(type));
    const double rounded = mean_negative_log_likelihood(stories, file.span(), plain);
    std::printf("weights of type %u: %zu bytes, %.4f, %+.4f\n", type, file.span().size(), rounded, rounded - expected);
    EXPECT_NEAR(rounded, expected, most[type]);
  }
  BlockMemory small = plain;
  small.key_type = small.value_type = DataType::int8;
  AlignedMemory file = read_stories(DataType::int8);
  const double rounded = mean_negative_log_likelihood(stories, file.span(), small);
  std::printf("weights and cache in int8: %.4f, %+.4f\n", rounded, rounded - expected);
  EXPECT_NEAR(rounded, expected, 0.02);
}

}  // namespace
}  // namespace heed::test
