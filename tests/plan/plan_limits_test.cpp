// SPDX-License-Identifier: MIT
//
// Every field of every configuration below, at and above its limits; and that a refused configuration leaves the plan
// as it was.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "heed/heed.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t most_rows = 1U << 30;
constexpr std::uint32_t most_dimension = 1U << 16;

/// One field of a configuration and what one value of it gives.
template <class Config>
struct FieldCase {
  std::uint32_t Config::*field;
  std::uint32_t value;
  Status expected;
};

/// Plans `base` with each of the fields changed. The plan given to a refused call must keep every byte.
template <class Plan, class Config>
void expect_statuses(const Config& base, const std::vector<FieldCase<Config>>& cases) {
  int number = 0;
  for (const FieldCase<Config>& one : cases) {
    Config config = base;
    config.*one.field = one.value;
    Plan plan;
    ASSERT_EQ(make_plan(base, plan), Status::ok);
    Plan before;
    std::memcpy(static_cast<void*>(&before), &plan, sizeof plan);
    EXPECT_EQ(make_plan(config, plan), one.expected) << "case " << number << ", value " << one.value;
    if (one.expected != Status::ok) {
      EXPECT_EQ(std::memcmp(&before, &plan, sizeof plan), 0) << "case " << number << " wrote to the plan";
    }
    ++number;
  }
}

/// A field that takes 1..most, and what 0 and greater values give.
template <class Config>
struct FieldRange {
  std::uint32_t Config::*field;
  std::uint32_t most;
  Status zero = Status::ok;
  Status above = Status::too_large;
};

template <class Plan, class Config>
void expect_ranges(const Config& base, const std::vector<FieldRange<Config>>& ranges) {
  std::vector<FieldCase<Config>> cases;
  for (const auto& [field, most, zero, above] : ranges) {
    cases.insert(cases.end(), {{field, 0, zero}, {field, 1, Status::ok}, {field, most, Status::ok}});
    if (most != UINT32_MAX) cases.insert(cases.end(), {{field, most + 1, above}, {field, UINT32_MAX, above}});
  }
  expect_statuses<Plan>(base, cases);
}

TEST(PlanLimits, Attention) {
  using C = AttentionConfig;
  const C base{.heads = 4, .kv_heads = 2, .head_dim = 16, .value_dim = 8, .max_keys = 32, .workers = 2};
  expect_ranges<AttentionPlan, C>(base, {{&C::head_dim, most_dimension, Status::zero_dimension},
                                         {&C::value_dim, most_dimension},
                                         {&C::max_keys, most_rows},
                                         {&C::workers, 64, Status::ok, Status::bad_workers},
                                         {&C::scratch_budget, UINT32_MAX}});
  expect_statuses<AttentionPlan, C>(base, {{&C::heads, 0, Status::heads_not_divisible},
                                           {&C::heads, 2, Status::ok},
                                           {&C::heads, 3, Status::heads_not_divisible},
                                           {&C::heads, most_dimension, Status::ok},
                                           {&C::heads, most_dimension + 1, Status::too_large},
                                           {&C::heads, most_dimension + 2, Status::too_large},
                                           {&C::heads, UINT32_MAX, Status::too_large},
                                           {&C::kv_heads, 0, Status::ok},
                                           {&C::kv_heads, 1, Status::ok},
                                           {&C::kv_heads, 3, Status::heads_not_divisible},
                                           {&C::kv_heads, 4, Status::ok},
                                           {&C::kv_heads, 5, Status::heads_not_divisible},
                                           {&C::kv_heads, 8, Status::heads_not_divisible},
                                           {&C::kv_heads, UINT32_MAX, Status::heads_not_divisible}});
}

// The limits that are no power of two are where the sum of the regions reaches 2^32 bytes.
TEST(PlanLimits, KvCache) {
  using C = KvCacheConfig;
  const C base{.max_sequences = 1, .kv_heads = 1, .head_dim = 1, .value_dim = 1, .max_keys = 1};
  expect_ranges<KvCachePlan, C>(base, {{&C::max_sequences, 32537630},
                                       {&C::kv_heads, most_dimension},
                                       {&C::head_dim, most_dimension, Status::zero_dimension},
                                       {&C::value_dim, most_dimension},
                                       {&C::max_keys, 63161281, Status::zero_dimension}});
  expect_statuses<KvCachePlan, C>(base, {{&C::max_sequences, most_rows, Status::too_large},
                                         {&C::max_sequences, most_rows + 1, Status::too_large},
                                         {&C::max_keys, most_rows, Status::too_large},
                                         {&C::max_keys, most_rows + 1, Status::too_large}});
}

constexpr Refusal<KvCacheConfig> bad_configs[] = {
    {"no channel", Status::zero_dimension, [](KvCacheConfig& c) { c.head_dim = 0; }},
    {"no key", Status::zero_dimension, [](KvCacheConfig& c) { c.max_keys = 0; }},
    {"long keys", Status::too_large, [](KvCacheConfig& c) { c.head_dim = 65537; }},
    {"many keys", Status::too_large, [](KvCacheConfig& c) { c.max_keys = max_rows + 1; }},
    {"many sequences", Status::too_large, [](KvCacheConfig& c) { c.max_sequences = max_rows + 1; }},
    {"4 GiB", Status::too_large, [](KvCacheConfig& c) { c.max_keys = max_rows; }},
    {"the greatest of all", Status::too_large,
     [](KvCacheConfig& c) {
       c = {max_rows, 65536, 65536, 65536, max_rows};
     }},
    {"keys of int8_groups", Status::bad_option, [](KvCacheConfig& c) { c.key_type = DataType::int8_groups; }},
    {"keys of int4_groups", Status::bad_option, [](KvCacheConfig& c) { c.key_type = DataType::int4_groups; }},
    {"type of keys 8", Status::bad_option, [](KvCacheConfig& c) { c.key_type = static_cast<DataType>(8); }},
    {"values of int8_groups", Status::bad_option, [](KvCacheConfig& c) { c.value_type = DataType::int8_groups; }},
    {"values of int4_groups", Status::bad_option, [](KvCacheConfig& c) { c.value_type = DataType::int4_groups; }},
    {"values by channel", Status::bad_option, [](KvCacheConfig& c) { c.value_type = DataType::int8_channels; }},
    {"type of values 255", Status::bad_option, [](KvCacheConfig& c) { c.value_type = static_cast<DataType>(255); }},
    {"kept without a ring", Status::bad_option, [](KvCacheConfig& c) { c.ring = false, c.sink_tokens = 1; }},
    {"all kept", Status::bad_option, [](KvCacheConfig& c) { c.ring = true, c.sink_tokens = 20; }},
};

TEST(PlanLimits, KvCachesThatThereAreNot) {
  for (const Refusal<KvCacheConfig>& refusal : bad_configs) {
    KvCacheConfig config{2, 3, 5, 6, 20, 0, DataType::int8, DataType::int8};
    KvCachePlan made;
    ASSERT_EQ(make_plan(config, made), Status::ok);
    refusal.spoil(config);
    Witness witness;
    witness.watch_object("plan", made);
    witness.expect(refusal.expected, refusal.what, [&] { return make_plan(config, made); });
  }
}

TEST(PlanLimits, MultiHead) {
  using C = MultiHeadConfig;
  const C base{.model_dim = 1,
               .heads = 1,
               .kv_heads = 1,
               .head_dim = 1,
               .value_dim = 1,
               .kv_input_dim = 1,
               .output_dim = 1,
               .max_keys = 1};
  expect_ranges<MultiHeadPlan, C>(base, {{&C::model_dim, most_dimension, Status::zero_dimension},
                                         {&C::heads, most_dimension},
                                         {&C::head_dim, most_dimension},
                                         {&C::value_dim, most_dimension},
                                         {&C::kv_input_dim, most_dimension},
                                         {&C::output_dim, most_dimension},
                                         {&C::max_keys, 63160947, Status::zero_dimension},
                                         {&C::max_sequences, 32537576},
                                         {&C::workers, 64, Status::ok, Status::bad_workers},
                                         {&C::scratch_budget, UINT32_MAX}});
  expect_statuses<MultiHeadPlan, C>(base, {{&C::kv_heads, 0, Status::ok},
                                           {&C::kv_heads, 1, Status::ok},
                                           {&C::kv_heads, 2, Status::heads_not_divisible},
                                           {&C::kv_heads, UINT32_MAX, Status::heads_not_divisible},
                                           {&C::max_keys, most_rows, Status::too_large},
                                           {&C::max_keys, most_rows + 1, Status::too_large},
                                           {&C::max_sequences, most_rows, Status::too_large},
                                           {&C::max_sequences, most_rows + 1, Status::too_large}});
}

TEST(PlanLimits, ProductsOfAllowedDimensionsDoNotWrapAround) {
  using M = MultiHeadConfig;
  const M wide{.model_dim = 65536, .heads = 1, .head_dim = 1, .kv_input_dim = 1, .output_dim = 1, .max_keys = 1};
  // The packed weights pass 2^32 bytes.
  expect_statuses<MultiHeadPlan, M>(wide,
                                    {{&M::head_dim, 16368, Status::ok}, {&M::head_dim, 16369, Status::too_large}});
  // The arena does; heads * head_dim wraps around to 0 in 32 bits at the largest of both.
  const M many{.model_dim = 1, .heads = 1, .kv_heads = 1, .head_dim = 65536, .value_dim = 1, .max_keys = 1};
  expect_statuses<MultiHeadPlan, M>(many, {{&M::heads, 8189, Status::ok},
                                           {&M::heads, 8190, Status::too_large},
                                           {&M::heads, 65535, Status::too_large},
                                           {&M::heads, 65536, Status::too_large}});
  using K = KvCacheConfig;
  const K deep{.max_sequences = 4, .kv_heads = 65536, .head_dim = 65536, .max_keys = 1};
  KvCachePlan plan;
  EXPECT_EQ(make_plan(deep, plan), Status::too_large);
  EXPECT_EQ(make_plan(K{1U << 30, 65536, 65536, 65536, 1U << 30}, plan), Status::too_large);
  EXPECT_EQ(make_plan(K{1U << 16, 1U << 16, 16, 16, 1}, plan), Status::too_large);
  EXPECT_EQ(plan.bytes, 0U);
  // A head of no width: model_dim / heads is 0.
  MultiHeadPlan layer;
  EXPECT_EQ(make_plan(M{.model_dim = 3, .heads = 4, .max_keys = 1}, layer), Status::heads_not_divisible);
  EXPECT_EQ(layer.bytes, 0U);
}

TEST(PlanLimits, ScratchMayBeAsGreatAsItsBudget) {
  AttentionPlan free;
  ASSERT_EQ(make_plan(AttentionConfig{.head_dim = 64}, free), Status::ok);
  AttentionPlan exact;
  ASSERT_EQ(make_plan(AttentionConfig{.head_dim = 64, .scratch_budget = free.worker_bytes}, exact), Status::ok);
  EXPECT_EQ(exact.worker_bytes, free.worker_bytes);
  AttentionPlan less;
  ASSERT_EQ(make_plan(AttentionConfig{.head_dim = 64, .scratch_budget = free.worker_bytes - 1}, less), Status::ok);
  EXPECT_LT(less.worker_bytes, free.worker_bytes);
}

TEST(PlanLimits, OfBlocksAndModels) {
  BlockPlan plan;
  const BlockMemory memory{.rows = 1, .max_keys = 4};
  BlockConfig config{.model_dim = 16, .heads = 2};
  config.norm_epsilon = 0.0F;
  ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
  EXPECT_EQ(plan.config.norm_epsilon, 1e-5F);
  EXPECT_EQ(plan.config.mlp_dim, 64U);
  config.norm_epsilon = 0.5F;
  ASSERT_EQ(make_plan(config, memory, plan), Status::ok);
  EXPECT_EQ(plan.config.norm_epsilon, 0.5F);
  const BlockPlan before = plan;
  config.model_dim = max_dimension / 2;  // an MLP four times as wide is too wide
  EXPECT_EQ(make_plan(config, memory, plan), Status::too_large);
  config.mlp_dim = max_dimension + 1;
  EXPECT_EQ(make_plan(config, memory, plan), Status::too_large);
  EXPECT_EQ(plan.config.model_dim, before.config.model_dim);
  EXPECT_EQ(plan.weights_bytes, before.weights_bytes);
  config.model_dim = 16;
  config.mlp_dim = max_dimension;
  EXPECT_EQ(make_plan(config, memory, plan), Status::ok);

  ModelConfig model{.block = {.model_dim = 16, .heads = 2}, .blocks = 1, .input_dim = 10, .max_positions = 8};
  ModelPlan of_model;
  model.embedding_scale = 0.0F;
  model.rotary_base = 0.0F;
  ASSERT_EQ(make_plan(model, memory, of_model), Status::ok);
  EXPECT_EQ(of_model.config.embedding_scale, 1.0F);
  EXPECT_EQ(of_model.config.rotary_base, 10000.0F);
  EXPECT_EQ(of_model.config.outputs, 0U);
  model.embedding_scale = 4.0F;
  model.rotary_base = 500.0F;
  model.tied_head = true;
  ASSERT_EQ(make_plan(model, memory, of_model), Status::ok);
  EXPECT_EQ(of_model.config.embedding_scale, 4.0F);
  EXPECT_EQ(of_model.config.rotary_base, 500.0F);
  EXPECT_EQ(of_model.config.outputs, 10U);
}

TEST(PlanLimits, BlocksAndModelsOfZerosHaveTheDefaults) {
  BlockMemory memory{.rows = 4, .max_keys = 9, .max_cross_keys = 3};
  ModelConfig config{
      .block = {.model_dim = 16, .heads = 2, .cross_dim = 5}, .blocks = 1, .input_dim = 10, .max_positions = 9};
  ModelPlan defaults;
  ASSERT_EQ(make_plan(config, memory, defaults), Status::ok);
  EXPECT_EQ(defaults.block.memory.workers, 1U);
  EXPECT_EQ(defaults.block.memory.scratch_budget, 0U);
  config.block.norm_epsilon = 0.0F;
  config.embedding_scale = 0.0F;
  config.rotary_base = 0.0F;
  memory.workers = 0;
  memory.scratch_budget = 0;
  ModelPlan zeros;
  ASSERT_EQ(make_plan(config, memory, zeros), Status::ok);
  EXPECT_EQ(std::memcmp(&defaults, &zeros, sizeof zeros), 0);
  config.blocks = ModelConfig{}.blocks;
  EXPECT_EQ(make_plan(config, memory, zeros), Status::zero_dimension) << "a model has no blocks by default";
}

}  // namespace
}  // namespace heed::test
