// SPDX-License-Identifier: MIT
//
// A struct of zeros has the defaults, in C as in C++: no member begins as anything else, and a 0 means what the default
// is. (A struct with padding is looked at where its members are.)
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

template <class Struct>
[[nodiscard]] bool is_zeros() {
  alignas(Struct) unsigned char bytes[sizeof(Struct)] = {};
  new (bytes) Struct{};
  for (const unsigned char byte : bytes) {
    if (byte != 0) return false;
  }
  return true;
}

TEST(CDefaults, MembersBeginAsZeros) {
  EXPECT_TRUE((is_zeros<AttentionConfig>() && is_zeros<AttentionPlan>() && is_zeros<AttentionInputs>()));
  EXPECT_TRUE((is_zeros<AttentionOutputs>() && is_zeros<AttentionOptions>() && is_zeros<PartialAttention>()));
  EXPECT_TRUE(
      (is_zeros<KvCacheConfig>() && is_zeros<KvCachePlan>() && is_zeros<KvStorage>() && is_zeros<LinearPlan>()));
  EXPECT_TRUE((is_zeros<MultiHeadConfig>() && is_zeros<MultiHeadPlan>() && is_zeros<MultiHeadWeights>()));
  EXPECT_TRUE((is_zeros<MultiHeadInputs>() && is_zeros<MultiHeadOutputs>() && is_zeros<MultiHeadOptions>()));
  EXPECT_TRUE(
      (is_zeros<RotaryConfig>() && is_zeros<RotaryPlan>() && is_zeros<Rotary>() && is_zeros<RotaryPositions>()));
  EXPECT_TRUE((is_zeros<RelativeBucketsConfig>() && is_zeros<RelativeBucketsPlan>()));
  EXPECT_TRUE((is_zeros<BlockConfig>() && is_zeros<BlockMemory>() && is_zeros<ModelConfig>() && is_zeros<ModelPlan>()));
  EXPECT_TRUE((is_zeros<StageObserver>() && is_zeros<Sampling>() && is_zeros<TokenizerFile>() && is_zeros<Executor>()));
}

TEST(CDefaults, ZeroMeansTheDefaultOfAPlan) {
  AttentionPlan attention, attention_said;
  ASSERT_EQ(make_plan(AttentionConfig{.head_dim = 6}, attention), Status::ok);
  ASSERT_EQ(make_plan(AttentionConfig{.heads = 1,
                                      .kv_heads = 1,
                                      .head_dim = 6,
                                      .value_dim = 6,
                                      .max_keys = 1 << 30,
                                      .workers = 1,
                                      .scratch_budget = 128 << 10},
                      attention_said),
            Status::ok);
  attention_said.config.scratch_budget = attention.config.scratch_budget;
  EXPECT_TRUE(attention == attention_said);

  KvCachePlan cache, cache_said;
  ASSERT_EQ(make_plan(KvCacheConfig{.head_dim = 6, .max_keys = 20}, cache), Status::ok);
  ASSERT_EQ(make_plan(KvCacheConfig{.max_sequences = 1, .kv_heads = 1, .head_dim = 6, .value_dim = 6, .max_keys = 20},
                      cache_said),
            Status::ok);
  EXPECT_TRUE(cache == cache_said);

  RotaryPlan rotary, rotary_said;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 6}, rotary), Status::ok);
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 6,
                                   .rotary_dim = 6,
                                   .base = 10000.0F,
                                   .scaling_factor = 1.0F,
                                   .beta_fast = 32.0F,
                                   .beta_slow = 1.0F,
                                   .high_freq_factor = 4.0F,
                                   .low_freq_factor = 1.0F,
                                   .attention_factor = 1.0F},
                      rotary_said),
            Status::ok);
  EXPECT_TRUE(rotary == rotary_said);

  RelativeBucketsPlan buckets;
  ASSERT_EQ(make_plan(RelativeBucketsConfig{}, buckets), Status::ok);
  EXPECT_EQ(buckets.config.num_buckets, 32U);
  EXPECT_EQ(buckets.config.max_distance, 128U);

  ModelPlan model, model_said;
  const ModelConfig config{.block = {.model_dim = 6}, .blocks = 1, .input_dim = 3, .max_positions = 4};
  ModelConfig said = config;
  said.block.heads = said.block.kv_heads = 1;
  said.block.head_dim = 6;
  said.block.mlp_dim = 24;
  said.block.norm_epsilon = 1e-5F;
  said.block.activation = Activation::gelu_erf;
  said.embedding_scale = 1.0F;
  said.rotary_base = 10000.0F;
  said.positions = Positions::learned;
  ASSERT_EQ(make_plan(config, {.max_keys = 4}, model), Status::ok);
  ASSERT_EQ(make_plan(said, {.rows = 1, .max_keys = 4, .workers = 1}, model_said), Status::ok);
  EXPECT_TRUE(model == model_said);
  EXPECT_TRUE(model.config == said);
}

constexpr std::uint32_t queries = 3, keys = 20, dim = 6;

class CDefaultsTest : public testing::Test {
 protected:
  Random random_{20};
  std::vector<float> x_ = random_.normals(std::size_t{keys} * dim);
  std::vector<float> output_ = std::vector<float>(std::size_t{queries} * dim);
  std::vector<float> expected_ = std::vector<float>(std::size_t{queries} * dim, -7.0F);
};

TEST_F(CDefaultsTest, BatchOfAttention) {
  AttentionPlan plan;
  ASSERT_EQ(make_plan(AttentionConfig{.head_dim = dim}, plan), Status::ok);
  const AlignedMemory arena(plan.bytes);
  AttentionInputs inputs{.query_count = queries, .key_count = keys};
  inputs.query = inputs.key = inputs.value = bhsd<const float>(x_.data(), 1, keys, dim);
  AttentionOutputs outputs{.output = bhsd(output_.data(), 1, queries, dim)};
  ASSERT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);
  inputs.batch = 1;
  outputs.output = bhsd(expected_.data(), 1, queries, dim);
  ASSERT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);
  EXPECT_TRUE(same_bits(output_, expected_));
}

TEST_F(CDefaultsTest, BatchOfALayer) {
  MultiHeadPlan plan;
  ASSERT_EQ(make_plan(MultiHeadConfig{.model_dim = dim, .max_keys = keys}, plan), Status::ok);
  const float* const weight = x_.data();
  const AlignedMemory packed(plan.weights_bytes), arena(plan.bytes);
  ASSERT_EQ(pack_weights(plan, {weight, weight, weight, weight}, packed.span()), Status::ok);
  MultiHeadAttention layer;
  ASSERT_EQ(layer.init(plan, arena.span(), packed.span()), Status::ok);
  MultiHeadInputs inputs{.tokens = queries, .input = dense<const float>(x_.data(), queries, dim)};
  ASSERT_EQ(layer.prefill(inputs, {.output = dense(output_.data(), queries, dim)}), Status::ok);
  ASSERT_EQ(layer.cache().reset(0), Status::ok);
  inputs.batch = 1;
  ASSERT_EQ(layer.prefill(inputs, MultiHeadOptions{}, {.output = dense(expected_.data(), queries, dim)}), Status::ok);
  EXPECT_TRUE(same_bits(output_, expected_));
}

TEST_F(CDefaultsTest, CountsOfRotaryPositions) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = dim}, rotary.plan), Status::ok);
  const std::uint32_t position = 11;
  const ConstTensor from = bhsd<const float>(x_.data(), 1, queries, dim);
  ASSERT_EQ(apply_rotary(rotary, {.positions = &position}, from, bhsd(output_.data(), 1, queries, dim)), Status::ok);
  expected_ = output_;
  ASSERT_EQ(apply_rotary(rotary, {.batch = 1, .heads = 1, .tokens = 1, .positions = &position}, from,
                         bhsd(expected_.data(), 1, queries, dim)),
            Status::ok);
  EXPECT_TRUE(same_bits(output_, expected_));
  EXPECT_NE(output_[0], x_[0]);
}

}  // namespace
}  // namespace heed::test
