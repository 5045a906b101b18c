// SPDX-License-Identifier: MIT
//
// The runtime with HEED_CHECK_PLANS stops where a plan is not what make_plan() made.
#include <array>
#include <vector>

#include "heed/block.hpp"
#include "heed/model.hpp"
#include "support/cases.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

/// `size` is a number of the configuration that the plan's sizes depend on.
template <class Plan, class Config, class Call>
void expect_trap(const Config& config, std::uint32_t Config::*size, const Call& call) {
  Plan plan;
  ASSERT_EQ(make_plan(config, plan), Status::ok);
  const AlignedMemory memory(1 << 20);
  EXPECT_EQ(call(plan, memory.span()), Status::ok);
  ++(plan.config.*size);
  EXPECT_DEATH(static_cast<void>(call(plan, memory.span())), "");
  --(plan.config.*size);
  plan.bytes -= 64;
  EXPECT_DEATH(static_cast<void>(call(plan, memory.span())), "");
  plan.bytes += 64;
  EXPECT_EQ(call(plan, memory.span()), Status::ok);
}

// A test for each kind of plan, named after what takes it.

TEST(ChangedPlan, Attend) {
  expect_trap<AttentionPlan>(AttentionConfig{.head_dim = 16}, &AttentionConfig::head_dim,
                             [](const AttentionPlan& plan, auto memory) {
                               std::array<float, 17> row{}, result{};
                               AttentionInputs inputs;
                               inputs.query_count = inputs.key_count = 1;
                               inputs.query = inputs.key = inputs.value = {row.data(), 0, 0, 0};
                               AttentionOutputs outputs;
                               outputs.output = {result.data(), 0, 0, 0};
                               return attend(plan, memory, inputs, outputs);
                             });
}

TEST(ChangedPlan, InitOfACache) {
  for (const DataType value : {DataType::float32, DataType::int4}) {
    const KvCacheConfig config{.head_dim = 16, .max_keys = 20, .value_type = value};
    expect_trap<KvCachePlan>(config, &KvCacheConfig::head_dim, [&](const KvCachePlan& plan, auto memory) {
      KvCache cache;
      return cache.init(plan, memory, storage_of(config));
    });
  }
}

TEST(ChangedPlan, PackWeights) {
  expect_trap<MultiHeadPlan>(MultiHeadConfig{.model_dim = 16, .max_keys = 20}, &MultiHeadConfig::model_dim,
                             [](const MultiHeadPlan& plan, auto memory) {
                               const std::vector<float> weight(17 * 17);
                               const float* w = weight.data();
                               return pack_weights(plan, {w, w, w, w, nullptr, nullptr, nullptr, nullptr}, memory);
                             });
}

TEST(ChangedPlan, MakeRotaryTable) {
  expect_trap<RotaryPlan>(RotaryConfig{.head_dim = 16, .rotary_dim = 16, .max_position = 20},
                          &RotaryConfig::max_position, [](const RotaryPlan& plan, auto memory) {
                            Rotary rotary;
                            return make_rotary_table(plan, memory, rotary);
                          });
}

/// The same for what holds its plan: `call` uses it after init(). The plan may also have ended before the object.
template <class Plan, class Call>
void expect_trap_later(Plan& plan, const Call& call) {
  EXPECT_EQ(call(), Status::ok);
  const Plan made = plan;
  ++plan.config.head_dim;
  EXPECT_DEATH(static_cast<void>(call()), "");
  plan = Plan{};
  EXPECT_DEATH(static_cast<void>(call()), "");
  plan = made;
  EXPECT_EQ(call(), Status::ok);
}

TEST(ChangedPlan, AppendToACache) {
  KvCachePlan plan;
  ASSERT_EQ(make_plan(KvCacheConfig{.head_dim = 16, .max_keys = 20}, plan), Status::ok);
  const AlignedMemory memory(plan.bytes);
  KvCache cache;
  ASSERT_EQ(cache.init(plan, memory.span()), Status::ok);
  const std::array<float, 16> row{};
  const ConstTensor one{row.data(), 0, 0, 0};
  expect_trap_later(plan, [&] { return cache.append(0, 1, one, one); });
}

TEST(ChangedPlan, DecodeOfALayer) {
  MultiHeadPlan plan;
  ASSERT_EQ(make_plan(MultiHeadConfig{.model_dim = 16, .max_keys = 20}, plan), Status::ok);
  const std::vector<float> weight(16 * 16);
  const float* w = weight.data();
  const AlignedMemory arena(plan.bytes);
  const AlignedMemory packed(plan.weights_bytes);
  ASSERT_EQ(pack_weights(plan, {w, w, w, w, nullptr, nullptr, nullptr, nullptr}, packed.span()), Status::ok);
  MultiHeadAttention layer;
  ASSERT_EQ(layer.init(plan, arena.span(), packed.span()), Status::ok);
  std::array<float, 16> row{};
  expect_trap_later(plan, [&] { return layer.decode(row.data(), row.data()); });
}

TEST(ChangedPlan, PrefillOfABlock) {
  BlockPlan plan;
  ASSERT_EQ(make_plan(BlockConfig{.model_dim = 16}, BlockMemory{.rows = 1, .max_keys = 20}, plan), Status::ok);
  const std::vector<float> weight(16 * 64);
  const float* w = weight.data();
  BlockWeights weights;
  weights.attention = {w, w, w, w, nullptr, nullptr, nullptr, nullptr};
  weights.attention_norm.weight = weights.mlp_norm.weight = weights.up = weights.down = w;
  const AlignedMemory state(plan.state_bytes);
  const AlignedMemory scratch(plan.scratch_bytes);
  const AlignedMemory packed(plan.weights_bytes);
  ASSERT_EQ(pack_block(plan, weights, packed.span()), Status::ok);
  TransformerBlock block;
  ASSERT_EQ(block.init(plan, state.span(), scratch.span(), packed.span()), Status::ok);
  std::array<float, 16> row{};
  expect_trap_later(plan, [&] { return block.prefill(row.data(), 1); });
}

}  // namespace
}  // namespace heed::test
