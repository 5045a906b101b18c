// SPDX-License-Identifier: MIT
//
// A C struct of zeros has the defaults of its C++ twin: with nothing set but what has no default, plans have the same
// bytes and calls the same bits. In a C++ configuration 0 means its default, too.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t queries = 3, keys = 20, dim = 6;

template <class A, class B>
[[nodiscard]] bool same_bytes(const A& a, const B& b) {
  static_assert(sizeof a == sizeof b);
  return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof a) == 0;
}

[[nodiscard]] bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <class CTensor, class Tensor>
[[nodiscard]] CTensor c_view(const Tensor& view) {
  return std::bit_cast<CTensor>(view);
}

/// The plans of a C struct of zeros, of the C++ defaults and of a C++ struct of zeros, each with the fields that `fill`
/// sets. Answers that of C++.
template <class Plan, class CConfig, class CPlan, class Fill>
[[nodiscard]] std::pair<Plan, CPlan> same_plans(heed_status (*c_plan)(const CConfig*, CPlan*), const Fill& fill) {
  using Config = decltype(Plan::config);
  CConfig c_config;
  std::memset(&c_config, 0, sizeof c_config);
  fill(c_config);
  Config config{};
  fill(config);
  const auto zeros = std::bit_cast<Config>(c_config);
  CPlan from_c{};
  Plan plan{};
  Plan from_zeros{};
  EXPECT_EQ(c_plan(&c_config, &from_c), HEED_OK);
  EXPECT_EQ(make_plan(config, plan), Status::ok);
  EXPECT_EQ(make_plan(zeros, from_zeros), Status::ok);
  EXPECT_TRUE(same_bytes(from_c, plan));
  EXPECT_TRUE(same_bytes(from_zeros, plan));
  return {plan, from_c};
}

class CDefaultsTest : public testing::Test {
 protected:
  [[nodiscard]] static auto attention_plans() {
    return same_plans<AttentionPlan>(heed_plan_attention, [](auto& config) { config.head_dim = dim; });
  }

  [[nodiscard]] static auto layer_plans() {
    return same_plans<MultiHeadPlan>(heed_plan_multi_head, [](auto& config) {
      config.model_dim = dim;
      config.max_keys = keys;
    });
  }

  Random random_{20};
  std::vector<float> query_ = random_.normals(std::size_t{queries} * dim);
  std::vector<float> key_ = random_.normals(std::size_t{keys} * dim);
  std::vector<float> value_ = random_.normals(std::size_t{keys} * dim);
  ConstTensor query_view_ = bhsd<const float>(query_.data(), 1, queries, dim);
  ConstTensor key_view_ = bhsd<const float>(key_.data(), 1, keys, dim);
  ConstTensor value_view_ = bhsd<const float>(value_.data(), 1, keys, dim);
  std::vector<float> output_ = std::vector<float>(std::size_t{queries} * dim);
  std::vector<float> c_output_ = std::vector<float>(std::size_t{queries} * dim);
  std::vector<float> scores_ = std::vector<float>(std::size_t{queries} * keys);
  std::vector<float> c_scores_ = std::vector<float>(std::size_t{queries} * keys);
};

TEST_F(CDefaultsTest, Attention) {
  const auto [plan, c_plan] = attention_plans();
  const AlignedMemory arena(plan.bytes);
  AttentionInputs inputs;
  inputs.query_count = queries;
  inputs.key_count = keys;
  inputs.query = query_view_;
  inputs.key = key_view_;
  inputs.value = value_view_;
  AttentionOutputs outputs;
  outputs.output = bhsd(output_.data(), 1, queries, dim);
  outputs.scores = bhsd(scores_.data(), 1, queries, keys);

  heed_attention_inputs c_inputs{};
  c_inputs.query_count = queries;
  c_inputs.key_count = keys;
  c_inputs.query = c_view<heed_const_tensor>(inputs.query);
  c_inputs.key = c_view<heed_const_tensor>(inputs.key);
  c_inputs.value = c_view<heed_const_tensor>(inputs.value);
  heed_attention_outputs c_outputs{};
  c_outputs.output = heed_bhsd(c_output_.data(), 1, queries, dim);
  c_outputs.scores = heed_bhsd(c_scores_.data(), 1, queries, keys);
  const heed_attention_options c_options{};
  const heed_executor c_executor{};

  EXPECT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);
  const auto expect_same = [&](heed_status status) {
    EXPECT_EQ(status, HEED_OK);
    EXPECT_TRUE(same_bytes(c_output_, output_));
    EXPECT_TRUE(same_bytes(c_scores_, scores_));
    c_output_.assign(c_output_.size(), -7.0F);
    c_scores_.assign(c_scores_.size(), -7.0F);
  };
  void* const memory = arena.span().data();
  expect_same(heed_attend(&c_plan, memory, plan.bytes, &c_inputs, &c_outputs, &c_executor));
  EXPECT_EQ(attend(plan, arena.span(), inputs, AttentionOptions{}, outputs), Status::ok);
  expect_same(heed_attend_with_options(&c_plan, memory, plan.bytes, &c_inputs, &c_options, &c_outputs, nullptr));
}

TEST_F(CDefaultsTest, KvCache) {
  const auto fill = [](auto& config) {
    config.head_dim = dim;
    config.max_keys = keys;
  };
  const auto [cache_plan, c_cache_plan] = same_plans<KvCachePlan>(heed_plan_kv_cache, fill);
  EXPECT_EQ(cache_plan.config.max_sequences, 1U);
  EXPECT_EQ(cache_plan.config.kv_heads, 1U);
  const auto [plan, c_plan] = attention_plans();
  const AlignedMemory arena(plan.bytes);
  const AlignedMemory memory(cache_plan.bytes);
  KvCache cache;
  ASSERT_EQ(cache.init(cache_plan, memory.span()), Status::ok);
  ASSERT_EQ(cache.append(0, keys, key_view_, value_view_), Status::ok);
  heed_kv_cache c_cache{};
  ASSERT_EQ(heed_kv_cache_bind(&c_cache, &c_cache_plan, memory.span().data(), cache_plan.bytes, nullptr), HEED_OK);

  AttentionInputs inputs;
  inputs.query_count = queries;
  inputs.query = query_view_;
  inputs.cache = &cache;
  AttentionOutputs outputs;
  outputs.output = bhsd(output_.data(), 1, queries, dim);
  outputs.scores = bhsd(scores_.data(), 1, queries, keys);
  EXPECT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);

  heed_attention_inputs c_inputs{};
  c_inputs.query_count = queries;
  c_inputs.query = c_view<heed_const_tensor>(query_view_);
  c_inputs.cache = &c_cache;
  heed_attention_outputs c_outputs{};
  c_outputs.output = heed_bhsd(c_output_.data(), 1, queries, dim);
  c_outputs.scores = heed_bhsd(c_scores_.data(), 1, queries, keys);
  const heed_attention_options c_options{};
  EXPECT_EQ(
      heed_attend_with_options(&c_plan, arena.span().data(), plan.bytes, &c_inputs, &c_options, &c_outputs, nullptr),
      HEED_OK);
  EXPECT_TRUE(same_bytes(c_output_, output_));
  EXPECT_TRUE(same_bytes(c_scores_, scores_));
}

TEST_F(CDefaultsTest, Layer) {
  const auto [plan, c_plan] = layer_plans();
  EXPECT_EQ(plan.cache.config.max_sequences, 1U);
  const std::vector<float> weight = random_.normals(std::size_t{dim} * dim);
  const MultiHeadWeights weights{weight.data(), weight.data(), weight.data(), weight.data()};
  heed_multi_head_weights c_weights{};
  c_weights.query = c_weights.key = c_weights.value = c_weights.output = weight.data();
  const AlignedMemory packed(plan.weights_bytes);
  const AlignedMemory c_packed(plan.weights_bytes);
  ASSERT_EQ(pack_weights(plan, weights, packed.span()), Status::ok);
  ASSERT_EQ(heed_pack_weights(&c_plan, &c_weights, c_packed.span().data(), plan.weights_bytes), HEED_OK);
  EXPECT_EQ(std::memcmp(packed.span().data(), c_packed.span().data(), plan.weights_bytes), 0);

  const AlignedMemory arena(plan.bytes);
  const AlignedMemory state(plan.state_bytes);
  const AlignedMemory scratch(plan.scratch_bytes);
  MultiHeadAttention layer;
  heed_multi_head_attention c_layer{};
  ASSERT_EQ(layer.init(plan, arena.span(), packed.span()), Status::ok);
  const heed_packed_weights c_packed_weights{packed.span().data(), plan.weights_bytes, nullptr};
  ASSERT_EQ(heed_multi_head_init(&c_layer, &c_plan, state.span().data(), plan.state_bytes, scratch.span().data(),
                                 plan.scratch_bytes, &c_packed_weights, nullptr),
            HEED_OK);
  MultiHeadInputs inputs;
  inputs.tokens = queries;
  inputs.input = dense<const float>(query_.data(), queries, dim);
  MultiHeadOutputs outputs;
  outputs.output = dense(output_.data(), queries, dim);
  outputs.scores = bhsd(scores_.data(), 1, queries, keys);
  heed_multi_head_inputs c_inputs{};
  c_inputs.tokens = queries;
  c_inputs.input = heed_const_dense(query_.data(), queries, dim);
  heed_multi_head_outputs c_outputs{};
  c_outputs.output = heed_dense(c_output_.data(), queries, dim);
  c_outputs.scores = heed_bhsd(c_scores_.data(), 1, queries, keys);
  const heed_multi_head_options c_options{};
  const auto expect_same = [&](Status status, heed_status c_status) {
    EXPECT_EQ(status, Status::ok);
    EXPECT_EQ(c_status, HEED_OK);
    EXPECT_TRUE(same_bytes(c_output_, output_));
    EXPECT_TRUE(same_bytes(c_scores_, scores_));
  };
  expect_same(layer.prefill(inputs, outputs), heed_multi_head_prefill(&c_layer, &c_inputs, &c_outputs, nullptr));
  expect_same(layer.attend(inputs, outputs), heed_multi_head_attend(&c_layer, &c_inputs, &c_outputs, nullptr));
  expect_same(layer.encode(inputs, MultiHeadOptions{}, outputs),
              heed_multi_head_encode_with_options(&c_layer, &c_inputs, &c_options, &c_outputs, nullptr));
}

TEST_F(CDefaultsTest, Positions) {
  const auto [plan, c_plan] = same_plans<RotaryPlan>(heed_plan_rotary, [](auto& config) { config.head_dim = dim; });
  Rotary rotary;
  rotary.plan = plan;
  heed_rotary c_rotary{};
  c_rotary.plan = c_plan;
  const std::uint32_t position = 11;
  RotaryPositions tokens;
  tokens.positions = &position;
  heed_rotary_positions c_tokens{};
  c_tokens.positions = &position;
  EXPECT_EQ(apply_rotary(rotary, tokens, query_view_, bhsd(output_.data(), 1, queries, dim)), Status::ok);
  EXPECT_EQ(heed_apply_rotary(&c_rotary, &c_tokens, c_view<heed_const_tensor>(query_view_),
                              heed_bhsd(c_output_.data(), 1, queries, dim)),
            HEED_OK);
  EXPECT_NE(output_[0], query_[0]);
  EXPECT_TRUE(same_bytes(c_output_, output_));
}

TEST_F(CDefaultsTest, RelativeBuckets) {
  const auto plan = same_plans<RelativeBucketsPlan>(heed_plan_relative_buckets, [](auto& /*config*/) {}).first;
  EXPECT_EQ(plan.config.num_buckets, 32U);
  EXPECT_EQ(plan.config.max_distance, 128U);
}

}  // namespace
}  // namespace heed::test
