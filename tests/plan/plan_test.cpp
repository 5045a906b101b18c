// SPDX-License-Identifier: MIT
//
// The plans: their sizes as literal numbers, the same for every port and compiler, and what every region must satisfy.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <new>
#include <vector>

#include "heed/heed.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr AttentionPlan attention(const AttentionConfig& config) {
  AttentionPlan plan;
  return make_plan(config, plan) == Status::ok ? plan : AttentionPlan{};
}
constexpr KvCachePlan cache(const KvCacheConfig& config) {
  KvCachePlan plan;
  return make_plan(config, plan) == Status::ok ? plan : KvCachePlan{};
}
constexpr MultiHeadPlan layer(const MultiHeadConfig& config) {
  MultiHeadPlan plan;
  return make_plan(config, plan) == Status::ok ? plan : MultiHeadPlan{};
}

static_assert(attention({.head_dim = 1}).bytes == 22528);
static_assert(attention({.head_dim = 64}).bytes == 70144);
static_assert(attention({.head_dim = 64, .scratch_budget = 1}).bytes == 6016);
static_assert(attention({.heads = 8, .kv_heads = 2, .head_dim = 128, .workers = 4}).bytes == 493568);
static_assert(attention({.head_dim = 80, .value_dim = 96, .max_keys = 100}).bytes == 79360);
static_assert(attention({.head_dim = 16, .max_keys = 16, .scratch_budget = 4096}).bytes == 3200);
static_assert(attention({.head_dim = 65536}).bytes == 4981888);
static_assert(attention({.heads = 65536, .head_dim = 65536, .workers = 64, .scratch_budget = UINT32_MAX}).bytes ==
              3490742272);

static_assert(cache({.head_dim = 1, .max_keys = 1}).bytes == 192);
static_assert(cache({.kv_heads = 2, .head_dim = 16, .max_keys = 256}).bytes == 65600);
static_assert(cache({.max_sequences = 4, .kv_heads = 8, .head_dim = 64, .max_keys = 2048}).bytes == 33554496);
static_assert(cache({.kv_heads = 3, .head_dim = 80, .value_dim = 33, .max_keys = 100}).bytes == 165184);
static_assert(cache({.max_sequences = 3, .head_dim = 5, .max_keys = 17}).bytes == 5248);

constexpr KvCachePlan ring_of_nibbles = plan(KvCacheConfig{.max_sequences = 2,
                                                           .kv_heads = 3,
                                                           .head_dim = 72,
                                                           .value_dim = 40,
                                                           .max_keys = 100,
                                                           .sink_tokens = 4,
                                                           .key_type = DataType::int4,
                                                           .value_type = DataType::int8,
                                                           .ring = true});
static_assert(ring_of_nibbles.config.key_type == DataType::int4 && ring_of_nibbles.config.value_type == DataType::int8);
static_assert(ring_of_nibbles.config.ring == 1 && ring_of_nibbles.config.sink_tokens == 4);
static_assert(ring_of_nibbles.states == Region{RegionName::sequence_lengths, 0, 64});
static_assert(ring_of_nibbles.keys == Region{RegionName::cached_keys, 64, 6 * 7 * 72 * 8});
static_assert(ring_of_nibbles.values == Region{RegionName::cached_values, 64 + 24192, 28800});  // 6 * 100 * 48
static_assert(ring_of_nibbles.key_scales == Region{RegionName::key_scales, 53056, 4032});       // 6 * 7 * 3 * 16 * 2
static_assert(ring_of_nibbles.value_scales == Region{RegionName::value_scales, 57088, 2432});   // 6 * 100 * 4, to 64
static_assert(ring_of_nibbles.bytes == 59520);

constexpr std::uint32_t bytes_of_8192_keys(DataType type) {
  const KvCacheConfig config{.kv_heads = 8, .head_dim = 64, .max_keys = 8192, .key_type = type, .value_type = type};
  KvCachePlan made;
  return make_plan(config, made) == Status::ok ? made.bytes : 0;
}
constexpr std::uint32_t numbers_of_8192_keys = 2 * 8 * 64 * 8192;
constexpr std::uint32_t scales_of_8192_keys = 2 * 8 * 8192;
static_assert(bytes_of_8192_keys(DataType::float32) ==
              plan(KvCacheConfig{.kv_heads = 8, .head_dim = 64, .max_keys = 8192}).bytes);
static_assert(bytes_of_8192_keys(DataType::float16) == 64 + numbers_of_8192_keys * 2);
static_assert(bytes_of_8192_keys(DataType::bfloat16) == 64 + numbers_of_8192_keys * 2);
static_assert(bytes_of_8192_keys(DataType::int8) == 64 + numbers_of_8192_keys + scales_of_8192_keys * 4);
static_assert(bytes_of_8192_keys(DataType::int4) == 64 + numbers_of_8192_keys / 2 + scales_of_8192_keys * 2 * 2);

constexpr MultiHeadPlan small = layer({.model_dim = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 256});
static_assert(small.bytes == 128576 && small.weights_bytes == 49984);
constexpr MultiHeadPlan tight =
    layer({.model_dim = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 256, .scratch_budget = 4096});
static_assert(tight.bytes == 73280 && tight.weights_bytes == 49984);
constexpr MultiHeadPlan smallest = layer({.model_dim = 1, .max_keys = 1});
static_assert(smallest.bytes == 19456 && smallest.weights_bytes == 576);
constexpr MultiHeadPlan transformer_base = layer({.model_dim = 512, .heads = 8, .max_keys = 128});
static_assert(transformer_base.bytes == 782912 && transformer_base.weights_bytes == 4202560);
constexpr MultiHeadPlan gpt2 = layer({.model_dim = 768, .heads = 12, .max_keys = 1024, .workers = 4});
static_assert(gpt2.bytes == 7161920 && gpt2.weights_bytes == 9449536);
constexpr MultiHeadPlan uneven = layer({.model_dim = 40,
                                        .heads = 5,
                                        .kv_heads = 1,
                                        .head_dim = 7,
                                        .value_dim = 9,
                                        .kv_input_dim = 24,
                                        .output_dim = 3,
                                        .max_keys = 50,
                                        .max_sequences = 2});
static_assert(uneven.bytes == 47936 && uneven.weights_bytes == 14080);
constexpr MultiHeadPlan large = layer({.model_dim = 4096, .heads = 32, .kv_heads = 8, .max_keys = 4096, .workers = 64});
static_assert(large.bytes == 41713728 && large.weights_bytes == 167813184);

// A plan is the size of static memory.
constexpr AttentionPlan keyword = plan(AttentionConfig{.head_dim = 16, .max_keys = 64, .scratch_budget = 4096});
static_assert(sizeof(StaticArena<keyword.bytes>) == keyword.bytes);
static_assert(alignof(StaticArena<keyword.bytes>) == arena_alignment);

constexpr std::uint64_t floats(std::uint64_t rows, std::uint64_t columns) {
  return round_up(rows * columns * sizeof(float), 64);
}

/// Regions in order, each on its boundary and after the one before, up to the very end.
void expect_packed(std::initializer_list<Region> regions, std::uint32_t end) {
  std::uint32_t at = 0;
  for (const Region& region : regions) {
    ASSERT_EQ(region.offset % arena_alignment, 0U);
    ASSERT_EQ(region.offset, at);
    ASSERT_GT(region.bytes, 0U);
    at += region.bytes;
  }
  ASSERT_EQ(at, end);
}

void expect_sound(const AttentionPlan& p) {
  expect_packed({p.queries, p.keys, p.scores, p.block_work, p.accumulators, p.statistics}, p.worker_bytes);
  const std::uint64_t width = round_up(p.config.value_dim, 16);
  ASSERT_EQ(p.queries.bytes, floats(p.query_tile_rows, p.config.head_dim));
  ASSERT_EQ(p.keys.bytes, floats(p.staged_keys, p.config.head_dim));
  ASSERT_EQ(p.scores.bytes, floats(p.row_group_rows, p.scored_keys));
  ASSERT_EQ(p.block_work.bytes, floats(p.row_group_rows, width));
  ASSERT_EQ(p.accumulators.bytes, floats(p.query_tile_rows, width));
  ASSERT_EQ(p.statistics.bytes, floats(2, round_up(p.query_tile_rows, 16)));
  ASSERT_EQ(p.bytes, std::uint64_t{p.worker_bytes} * p.config.workers);
  ASSERT_EQ(p.query_tile_rows % p.row_group_rows, 0U);
  ASSERT_EQ(p.staged_keys % 16, 0U);
  ASSERT_EQ(p.scored_keys, std::min(round_up(p.config.max_keys, 16), std::uint64_t{256}));
}

void expect_sound(const KvCachePlan& p) {
  expect_packed({p.states, p.keys, p.values}, p.bytes);
  const std::uint64_t streams = std::uint64_t{p.config.max_sequences} * p.config.kv_heads;
  ASSERT_EQ(p.states.bytes, floats(p.config.max_sequences, 1));
  ASSERT_EQ(p.key_scales.bytes + p.value_scales.bytes, 0U);
  ASSERT_EQ(p.keys.bytes, floats(streams, round_up(p.config.max_keys, 16) * p.config.head_dim));
  ASSERT_EQ(p.values.bytes, floats(streams, std::uint64_t{p.config.max_keys} * round_up(p.config.value_dim, 16)));
}

void expect_sound(const MultiHeadPlan& p) {
  const MultiHeadConfig& c = p.config;
  expect_sound(p.cache);
  expect_sound(p.attention);
  expect_packed({p.state, p.attention_scratch, p.projected, p.attention_output}, p.bytes);
  expect_packed({p.weights_header, p.query.weights, p.query.bias, p.key.weights, p.key.bias, p.value.weights,
                 p.value.bias, p.output.weights, p.output.bias},
                p.weights_bytes);
  ASSERT_EQ(p.state.bytes, p.cache.bytes);
  ASSERT_EQ(p.attention_scratch.bytes, p.attention.bytes);
  const std::uint64_t columns = std::max(c.heads * c.head_dim, c.kv_heads * (c.head_dim + c.value_dim));
  ASSERT_GE(p.projected.bytes, floats(p.token_rows, columns));
  ASSERT_GE(p.attention_output.bytes, floats(p.token_rows, std::uint64_t{c.heads} * c.value_dim));
  const std::array<const LinearPlan*, 4> projections = {&p.query, &p.key, &p.value, &p.output};
  const std::array<std::uint32_t, 4> inputs = {c.model_dim, c.kv_input_dim, c.kv_input_dim, c.heads * c.value_dim};
  const std::array<std::uint32_t, 4> outputs = {c.heads * c.head_dim, c.kv_heads * c.head_dim, c.kv_heads * c.value_dim,
                                                c.output_dim};
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(projections[i]->inputs, inputs[i]);
    ASSERT_EQ(projections[i]->outputs, outputs[i]);
    ASSERT_EQ(projections[i]->weights.bytes, floats(round_up(outputs[i], 16), inputs[i]));
    ASSERT_EQ(projections[i]->bias.bytes, floats(round_up(outputs[i], 16), 1));
  }
}

TEST(Plan, RegionsAreAlignedInOrderAndFillTheTotal) {
  Random random(8);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t kv_heads = random.between(1, 8);
    const std::uint32_t heads = kv_heads * random.between(1, 8);
    const std::uint32_t head_dim = random.between(1, 300);
    const std::uint32_t value_dim = random.between(0, 1) * random.between(1, 300);
    const std::uint32_t max_keys = random.between(1, 3000);
    const std::uint32_t workers = random.between(1, 64);
    const std::uint32_t budget = random.between(0, 1) * random.between(1, 300000);
    expect_sound(attention({heads, kv_heads, head_dim, value_dim, max_keys, workers, budget}));
    expect_sound(cache({random.between(1, 4), kv_heads, head_dim, value_dim, max_keys}));
    expect_sound(layer({random.between(1, 300), heads, kv_heads, head_dim, value_dim, random.between(0, 300),
                        random.between(0, 300), max_keys, random.between(1, 4), workers, budget}));
    ASSERT_FALSE(HasFatalFailure()) << "case " << i;
  }
}

TEST(Plan, HonoursTheScratchBudgetAndNeverGoesBelowWhatWorks) {
  for (const std::uint32_t head_dim : {1U, 16U, 64U, 80U, 128U, 1000U, 65536U}) {
    const std::uint32_t least = attention({.head_dim = head_dim, .scratch_budget = 1}).worker_bytes;
    const AttentionPlan most = attention({.head_dim = head_dim, .scratch_budget = UINT32_MAX});
    AttentionPlan exact = attention({.head_dim = head_dim, .scratch_budget = most.worker_bytes});
    exact.config.scratch_budget = most.config.scratch_budget;
    ASSERT_EQ(exact, most);
    std::uint32_t before = least;
    for (std::uint64_t budget = 1; budget < UINT32_MAX; budget = budget * 9 / 8 + 1) {
      const AttentionPlan p = attention({.head_dim = head_dim, .scratch_budget = static_cast<std::uint32_t>(budget)});
      ASSERT_LE(p.worker_bytes, std::max<std::uint64_t>(budget, least));
      ASSERT_GE(p.worker_bytes, before) << "a larger budget gave less scratch";
      ASSERT_GE(p.query_tile_rows, p.row_group_rows);
      ASSERT_GE(p.row_group_rows, 1U);
      ASSERT_GE(p.staged_keys, 16U);
      before = p.worker_bytes;
    }
    ASSERT_EQ(before, most.worker_bytes);
    ASSERT_EQ(attention({.head_dim = head_dim, .scratch_budget = least}).worker_bytes, least);
  }
  for (std::uint32_t budget = 1; budget < 1000000; budget = budget * 5 / 4 + 1) {
    const MultiHeadPlan p = layer({.model_dim = 96, .heads = 6, .max_keys = 64, .scratch_budget = budget});
    ASSERT_TRUE(p.token_rows == 1 || p.projected.bytes + p.attention_output.bytes <= budget);
    ASSERT_GE(p.token_rows, 1U);
  }
}

// Clang 14 leaves an aggregate with padding unwritten when a consteval function returns it to anything but a constexpr
// variable, so a plan must have no padding.
TEST(Plan, MadeAtCompileTimeArrivesInEveryKindOfVariable) {
  const KvCachePlan constant = plan(KvCacheConfig{.head_dim = 64, .max_keys = 9});
  AttentionPlan variable = plan(AttentionConfig{.head_dim = 64});
  MultiHeadPlan assigned;
  assigned = plan(MultiHeadConfig{.model_dim = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 256});
  EXPECT_EQ(*std::launder(&constant.bytes), 6464U);
  EXPECT_EQ(*std::launder(&variable.bytes), 70144U);
  EXPECT_EQ(*std::launder(&assigned.weights_bytes), small.weights_bytes);
  EXPECT_EQ(*std::launder(&assigned.bytes), small.bytes);
}

/// A plan has no padding, and each of its bytes counts.
template <class Plan, class... Configs>
void expect_all_compared(const Configs&... configs) {
  Plan plan;
  ASSERT_EQ(make_plan(configs..., plan), Status::ok);
  using Bytes = std::array<unsigned char, sizeof(Plan)>;
  Bytes bytes = std::bit_cast<Bytes>(plan);
  ASSERT_TRUE(std::bit_cast<Plan>(bytes) == plan);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1;
    EXPECT_FALSE(std::bit_cast<Plan>(bytes) == plan) << "byte " << i;
    bytes[i] ^= 1;
  }
}

TEST(Plan, ComparisonsReadEveryByte) {
  expect_all_compared<AttentionPlan>(AttentionConfig{.heads = 6, .head_dim = 40});
  expect_all_compared<LinearPlan>(LinearConfig{.inputs = 40, .outputs = 20, .type = DataType::int8});
  expect_all_compared<KvCachePlan>(ring_of_nibbles.config);
  expect_all_compared<RotaryPlan>(RotaryConfig{.head_dim = 40});
  const MultiHeadConfig layers{.model_dim = 60, .heads = 4, .max_keys = 9};
  expect_all_compared<MultiHeadPlan>(layers);
  const BlockConfig block{.model_dim = 8, .heads = 2, .cross_dim = 5};
  const BlockMemory memory{.rows = 3, .max_keys = 4, .max_cross_keys = 4};
  expect_all_compared<BlockPlan>(block, memory);
  expect_all_compared<ModelPlan>(ModelConfig{.block = block, .blocks = 2, .input_dim = 9, .max_positions = 7}, memory);
}

TEST(Plan, OfItsOwnCompletedConfigurationIsTheSame) {
  const AttentionPlan a = attention({.heads = 6, .head_dim = 40});
  EXPECT_EQ(a.config.kv_heads, 6U);
  EXPECT_EQ(a.config.value_dim, 40U);
  EXPECT_EQ(a.config.max_keys, 1U << 30);
  EXPECT_EQ(a.config.scratch_budget, 128U * 1024);
  EXPECT_EQ(attention(a.config), a);
  const MultiHeadPlan m = layer({.model_dim = 60, .heads = 4, .max_keys = 9});
  EXPECT_EQ(m.config.kv_heads, 4U);
  EXPECT_EQ(m.config.head_dim, 15U);
  EXPECT_EQ(m.config.value_dim, 15U);
  EXPECT_EQ(m.config.kv_input_dim, 60U);
  EXPECT_EQ(m.config.output_dim, 60U);
  const MultiHeadPlan again = layer(m.config);
  EXPECT_EQ(again.bytes, m.bytes);
  EXPECT_EQ(again.weights_bytes, m.weights_bytes);
  EXPECT_EQ(cache({.head_dim = 7, .max_keys = 1}).config.value_dim, 7U);
}

}  // namespace
}  // namespace heed::test
