// SPDX-License-Identifier: MIT
//
// The keyword transformer KWT-1 whole, from features to logits, against results computed in double precision. The data
// is not part of the project: layer/kwt1.hpp says where it is looked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/text.hpp"
#include "layer/kwt1.hpp"
#include "support/effort.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t frames = 98;
constexpr std::uint32_t rows = 99;
constexpr std::uint32_t dim = 64;
constexpr std::uint32_t blocks = 12;
constexpr std::uint32_t labels = 12;

constexpr ModelConfig config{.block = {.model_dim = dim,
                                       .heads = 1,
                                       .mlp_dim = 256,
                                       .norm_epsilon = 1e-6F,
                                       .norm = Norm::layer_norm,
                                       .norm_placement = NormPlacement::after,
                                       .activation = Activation::gelu_tanh},
                             .blocks = blocks,
                             .input_dim = 40,
                             .max_positions = rows,
                             .outputs = labels,
                             .input = ModelInput::frames,
                             .positions = Positions::learned,
                             .pooling = Pooling::first,
                             .class_token = true,
                             .encoder = true,
                             .without_final_norm = true};

AlignedMemory read_kwt1(const std::filesystem::path& directory, DataType type = DataType::float32) {
  Tensors tensors(directory / "kwt1.safetensors");
  std::vector<std::vector<float>> kept;
  kept.reserve(256);
  const auto tensor = [&](const std::string& name) { return kept.emplace_back(tensors[name]).data(); };
  std::vector<BlockWeights> weights(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::string name = "blocks." + std::to_string(i) + ".";
    BlockWeights& block = weights[i];
    block.attention.query = tensor(name + "attention.query.weight");
    block.attention.key = tensor(name + "attention.key.weight");
    block.attention.value = tensor(name + "attention.value.weight");
    block.attention.output = tensor(name + "attention.output.weight");
    block.attention.output_bias = tensor(name + "attention.output.bias");
    block.attention_norm = {tensor(name + "norm1.weight"), tensor(name + "norm1.bias")};
    block.mlp_norm = {tensor(name + "norm2.weight"), tensor(name + "norm2.bias")};
    block.up = tensor(name + "mlp.fc1.weight");
    block.up_bias = tensor(name + "mlp.fc1.bias");
    block.down = tensor(name + "mlp.fc2.weight");
    block.down_bias = tensor(name + "mlp.fc2.bias");
  }
  ModelWeights ends;
  ends.input = tensor("patch_proj.weight");
  ends.input_bias = tensor("patch_proj.bias");
  ends.class_token = tensor("class_token");
  ends.positions = tensor("pos_embed");
  ends.head = tensor("head.weight");
  ends.head_bias = tensor("head.bias");
  ModelConfig typed = config;
  typed.block.weight_type = typed.input_type = typed.head_type = type;
  return packed_model(typed, ends, weights);
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(double{a[i]} - double{b[i]}));
  return worst;
}

double largest(std::span<const float> values) {
  double most = 0.0;
  for (const float value : values) most = std::max(most, std::abs(double{value}));
  return most;
}

class Kwt1Model : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_directory() / "kwt1.safetensors")) {
      GTEST_SKIP() << "no KWT-1 data in " << data_directory() << "; set HEED_KWT1 to its directory";
    }
  }
};

/// The largest error of a logit over all clips or one of so many, every one of which has its label likeliest.
double error_of_logits(std::span<const std::byte> file, std::uint32_t divisor = 1) {
  BuiltModel built(file, {.rows = rows, .max_keys = rows});
  std::ifstream stream(data_directory() / "fixtures.json");
  const nlohmann::json fixtures = nlohmann::json::parse(stream);
  Tensors clips(data_directory() / "fixtures.safetensors");
  double worst = 0.0;
  std::uint32_t number = 0;
  for (const auto& fixture : fixtures.is_array() ? fixtures : fixtures.at("fixtures")) {
    if (number++ % divisor != 0) continue;
    const std::string clip = fixture.at("clip");
    const std::vector<float> features = clips[clip + ".features"];
    std::vector<float> logits(labels);
    EXPECT_EQ(built.model.encode(dense(features.data(), frames, 40), frames, logits.data()), Status::ok);
    worst = std::max(worst, largest_difference(logits, clips[clip + ".logits"]));
    EXPECT_EQ(argmax(logits.data(), labels), fixture.at("index").get<std::uint32_t>()) << clip;
  }
  return worst;
}

TEST_F(Kwt1Model, LogitsOfEveryClip) {
  AlignedMemory file = read_kwt1(data_directory());
  const double error = error_of_logits(file.span(), case_divisor());
  std::printf("largest error of a logit: %.1e\n", error);
  EXPECT_LE(error, 2e-5);
}

TEST_F(Kwt1Model, LabelsWithWeightsInFewBits) {
  const struct {
    DataType type;
    double most;
  } types[] = {{DataType::float16, 0.01},
               {DataType::bfloat16, 0.05},
               {DataType::int8, 0.2},
               {DataType::int8_groups, 0.1},
               {DataType::int4_groups, 2.0}};
  const std::uint32_t divisor = case_divisor();
  for (const auto& [type, most] : types) {
    AlignedMemory file = read_kwt1(data_directory(), type);
    const double error = error_of_logits(file.span(), divisor);
    std::printf("weights of type %u: %zu bytes, largest error of a logit %.1e\n", static_cast<unsigned>(type),
                file.span().size(), error);
    EXPECT_LE(error, most);
  }
}

/// Compares what the model shows with the goldens of one clip.
struct GoldenStages {
  Tensors& goldens;
  double worst = 0.0;
  std::uint32_t seen = 0;

  static void see(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t count,
                  std::uint32_t columns) {
    static_cast<GoldenStages*>(context)->compare(block, stage, {values, std::size_t{count} * columns});
  }

  void compare(std::uint32_t block, Stage stage, std::span<const float> values) {
    const std::string name = "blocks." + std::to_string(block) + ".";
    std::vector<float> golden;
    if (stage == Stage::embedding) golden = goldens["blocks.0.input"];
    if (stage == Stage::attention) golden = goldens[name + "attention.output"];
    if (stage == Stage::block) golden = goldens[name + "output"];
    if (stage == Stage::output) golden = goldens["logits"];
    if (golden.empty()) return;
    const double difference = largest_difference(values, golden) / largest(golden);
    EXPECT_LE(difference, 1e-5) << name << ' ' << to_string(stage);
    worst = std::max(worst, difference);
    ++seen;
  }
};

TEST_F(Kwt1Model, EveryStageOfOneClip) {
  AlignedMemory file = read_kwt1(data_directory());
  BuiltModel built(file.span(), {.rows = rows, .max_keys = rows});
  Tensors goldens(data_directory() / "goldens_right.safetensors");
  GoldenStages stages{goldens};
  built.model.observe({&stages, &GoldenStages::see});
  const std::vector<float> features = goldens["features"];
  std::vector<float> logits(labels);
  ASSERT_EQ(built.model.encode(dense(features.data(), frames, 40), frames, logits.data()), Status::ok);
  EXPECT_EQ(stages.seen, 2 + 2 * blocks);
  std::printf("largest difference, relative to the largest value: %.1e\n", stages.worst);
}

}  // namespace
}  // namespace heed::test
