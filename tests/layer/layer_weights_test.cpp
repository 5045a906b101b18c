// SPDX-License-Identifier: MIT
//
// Layers whose projections have weights of any type: the bits of the same layer over their dequantized floats.
#include <cstring>

#include "layer/layer_case.hpp"
#include "product/linear_case.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

constexpr MultiHeadConfig config{.model_dim = 40,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .head_dim = 9,
                                 .value_dim = 11,
                                 .kv_input_dim = 40,
                                 .output_dim = 37,
                                 .max_keys = 90,
                                 .workers = 3};
constexpr std::uint32_t tokens = 75;

/// A prompt of all tokens but three, and these one by one.
std::vector<float> outputs_of(const MultiHeadPlan& plan, const PackedWeights& weights, const std::vector<float>& x,
                              const Executor& executor) {
  const AlignedMemory arena(plan.bytes);
  MultiHeadAttention layer;
  EXPECT_EQ(layer.init(plan, arena.span(), weights, storage_of(plan.config)), Status::ok);
  std::vector<float> y(std::size_t{tokens} * config.output_dim);
  MultiHeadInputs in;
  in.tokens = tokens - 3;
  in.input = dense(x.data(), in.tokens, config.model_dim);
  MultiHeadOutputs out;
  out.output = dense(y.data(), in.tokens, config.output_dim);
  EXPECT_EQ(layer.prefill(in, out, executor), Status::ok);
  for (std::size_t t = tokens - 3; t < tokens; ++t) {
    EXPECT_EQ(layer.decode(&x[t * config.model_dim], &y[t * config.output_dim], 0, executor), Status::ok);
  }
  return y;
}

std::vector<float> dequantized(const LinearPlan& plan, const PackedWeights& weights) {
  std::vector<float> matrix(std::size_t{plan.inputs} * plan.outputs);
  EXPECT_EQ(unpack_linear(plan, weights, matrix.data()), Status::ok);
  return matrix;
}

void expect_bits_of_dequantized_weights(MultiHeadConfig layer_config) {
  Random random(11);
  const LayerWeights weights(random, config, true);
  const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
  const MultiHeadPlan float_plan = Layer::plan_for(layer_config);
  EXPECT_EQ(float_plan.staging.bytes, 0U);
  for (const TypeCase& type : weight_types) {
    layer_config.weight_type = type.type;
    const MultiHeadPlan plan = Layer::plan_for(layer_config);
    const AlignedMemory packed(plan.weights_bytes);
    ASSERT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
    const PackedWeights typed(packed.span(), type.format);
    LayerWeights floats = weights;
    floats.query = dequantized(plan.query, typed);
    floats.key = dequantized(plan.key, typed);
    floats.value = dequantized(plan.value, typed);
    floats.output = dequantized(plan.output, typed);
    if (type.format != nullptr) {
      EXPECT_NE(floats.query, weights.query);
      EXPECT_LT(plan.weights_bytes, float_plan.weights_bytes);
      EXPECT_GT(plan.staging.bytes, 0U);
    }
    const AlignedMemory float_packed(float_plan.weights_bytes);
    ASSERT_EQ(pack_weights(float_plan, floats.view(), float_packed.span()), Status::ok);
    const std::vector<float> expected = outputs_of(float_plan, float_packed.span(), x, {});
    EXPECT_TRUE(same_bits(outputs_of(plan, typed, x, {}), expected)) << type.name;
    EXPECT_TRUE(same_bits(outputs_of(plan, typed, x, thread_per_task()), expected)) << type.name;
  }
}

TEST(LayerWeights, HaveTheBitsOfTheirDequantizedFloats) {
  expect_bits_of_dequantized_weights(config);
  MultiHeadConfig stored = config;
  stored.key_type = DataType::int8;
  stored.value_type = DataType::int4;
  expect_bits_of_dequantized_weights(stored);
}

/// The same bytes serve every layer of the same dimensions.
TEST(LayerWeights, DoNotDependOnTheCache) {
  Random random(1);
  const LayerWeights weights(random, config, true);
  const Layer plain(config, weights.view(), kv_ring, 0);
  for (const bool ring : {false, true}) {
    MultiHeadConfig other = config;
    other.key_type = DataType::int8;
    other.value_type = DataType::float16;
    other.max_keys = 32;
    other.ring = ring;
    other.max_pages = ring ? 0 : 3;
    const Layer layer(other, weights.view(), kv_ring, 0);
    ASSERT_EQ(plain.plan.weights_bytes, layer.plan.weights_bytes);
    EXPECT_EQ(std::memcmp(plain.packed.span().data(), layer.packed.span().data(), plain.plan.weights_bytes), 0);
  }
}

TEST(LayerWeights, OfAnotherTypeOrFormatAreRefused) {
  Random random(12);
  const LayerWeights weights(random, config, true);
  for (const TypeCase& type : weight_types) {
    MultiHeadConfig typed = config;
    typed.weight_type = type.type;
    const MultiHeadPlan plan = Layer::plan_for(typed);
    const AlignedMemory arena(plan.bytes);
    const AlignedMemory packed(plan.weights_bytes);
    ASSERT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
    MultiHeadAttention layer;
    for (const TypeCase& other : weight_types) {
      const bool same = other.type == type.type;
      const Status expected = same ? Status::ok : Status::wrong_weights;
      EXPECT_EQ(layer.init(plan, arena.span(), {packed.span(), other.format}),
                same ? Status::ok : Status::missing_format)
          << type.name << other.name;
      MultiHeadConfig wrong = config;
      wrong.weight_type = other.type;
      const MultiHeadPlan wrong_plan = Layer::plan_for(wrong);
      if (wrong_plan.bytes > plan.bytes || wrong_plan.weights_bytes > plan.weights_bytes) continue;
      EXPECT_EQ(layer.init(wrong_plan, arena.span(), {packed.span(), other.format}), expected)
          << type.name << other.name;
    }
  }
}

TEST(LayerWeights, OfNoSuchTypeHaveNoPlan) {
  MultiHeadConfig wrong = config;
  for (const DataType type : {DataType::int4, DataType::int8_channels, DataType{8}}) {
    wrong.weight_type = type;
    MultiHeadPlan plan;
    EXPECT_EQ(make_plan(wrong, plan), Status::bad_option);
    EXPECT_EQ(plan.bytes, 0U);
  }
}

/// So that the same weights make the same bytes, and later versions can give the words a meaning.
TEST(LayerWeights, TheRestOfTheHeaderIsZero) {
  Random random(12);
  const LayerWeights weights(random, config, true);
  const Layer layer(config, weights.view());
  std::uint32_t header[16];
  std::memcpy(header, layer.packed.span().data(), sizeof header);
  for (int word = 10; word < 16; ++word) EXPECT_EQ(header[word], 0U) << word;
}

}  // namespace
}  // namespace heed::test
