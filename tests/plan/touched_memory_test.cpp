// SPDX-License-Identifier: MIT
//
// Memory that runs write to is what their plans say: not a byte outside, and of every region all but what rounding to
// the next boundary has added. Random configurations, in painted memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "layer/layer_case.hpp"
#include "options/options_random.hpp"
#include "plan/painted_memory.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

/// Every worker's tasks, one after the other in this thread.
Executor one_by_one() {
  return {nullptr, [](void*, std::uint32_t count, Executor::Task task, void* argument) {
            for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
          }};
}

AttentionConfig any_config(Random& random) {
  constexpr std::uint32_t dims[] = {1, 5, 16, 24, 33};
  constexpr std::uint32_t budgets[] = {1, 4096, 12000, 40000, 0};
  AttentionConfig config;
  config.kv_heads = random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 3);
  config.head_dim = dims[random.between(0, 4)];
  config.value_dim = dims[random.between(0, 4)];
  config.max_keys = random.between(0, 9) == 0 ? random.between(257, 300) : random.between(1, 60);
  config.workers = random.between(1, 3);
  config.scratch_budget = budgets[random.between(0, 4)];
  return config;
}

OptionsCase case_of(Random& random, const AttentionConfig& config, std::uint32_t batch, std::uint32_t queries,
                    bool options) {
  OptionsCase c;
  c.base = random_case(
      random, {batch, config.heads, config.kv_heads, queries, config.max_keys, config.head_dim, config.value_dim});
  for (std::uint32_t option = 0; options && option < option_count; ++option) {
    if (random.between(0, 1) == 0) add_option(random, c, static_cast<Option>(option));
  }
  return c;
}

void watch_attention(Painted& arena, const AttentionPlan& plan, const OptionsCase& c) {
  const LaidOutOptions laid_out(c, {});
  const AttentionShape& s = c.base.shape;
  std::vector<float> output(std::size_t{s.batch} * s.heads * s.queries * s.value_dim);
  AttentionInputs in;
  in.batch = s.batch;
  in.query_count = s.queries;
  in.key_count = s.keys;
  in.causal = c.base.causal;
  in.causal_offset = c.base.offset;
  if (!c.base.lengths.empty()) in.key_lengths = c.base.lengths.data();
  in.query = bhsd(c.base.query.data(), s.heads, s.queries, s.head_dim);
  in.key = bhsd(c.base.key.data(), s.kv_heads, s.keys, s.head_dim);
  in.value = bhsd(c.base.value.data(), s.kv_heads, s.keys, s.value_dim);
  const AttentionOutputs out{.output = bhsd(output.data(), s.heads, s.queries, s.value_dim)};
  arena.watch([&] { ASSERT_EQ(attend(plan, arena.span(), in, laid_out.options, out, one_by_one()), Status::ok); });
}

void expect_written(const Painted& arena, const AttentionPlan& plan, std::size_t offset) {
  const std::uint64_t keys = std::min(plan.config.max_keys, block_keys);
  for (std::uint32_t worker = 0; worker < plan.config.workers; ++worker, offset += plan.worker_bytes) {
    const std::uint64_t rows = plan.query_tile_rows * sizeof(float);
    const std::uint64_t group = plan.row_group_rows * sizeof(float);
    arena.expect_written("queries", plan.queries, rows * plan.config.head_dim, offset);
    arena.expect_written("keys", plan.keys,
                         std::min<std::uint64_t>(keys, plan.staged_keys) * plan.config.head_dim * sizeof(float),
                         offset);
    arena.expect_written("scores", plan.scores, group * keys, offset);
    // A single block has nothing to merge with.
    const bool merges = plan.config.max_keys > block_keys;
    arena.expect_written("block_work", plan.block_work, merges ? group * plan.config.value_dim : 0, offset);
    arena.expect_written("accumulators", plan.accumulators, rows * plan.config.value_dim, offset);
    arena.expect_written("statistics", plan.statistics, 2 * rows, offset);
  }
}

TEST(TouchedMemory, OfAttention) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 400; number += divisor) {
    Random random(81000 + number);
    AttentionPlan plan;
    ASSERT_EQ(make_plan(any_config(random), plan), Status::ok);
    const AttentionConfig& config = plan.config;
    SCOPED_TRACE("configuration " + std::to_string(number) + ": heads " + std::to_string(config.heads) + '/' +
                 std::to_string(config.kv_heads) + " dims " + std::to_string(config.head_dim) + ' ' +
                 std::to_string(config.value_dim) + " keys " + std::to_string(config.max_keys) + " tile " +
                 std::to_string(plan.query_tile_rows));
    Painted arena(plan.bytes);
    // For every worker a full tile, a row whose keys are in the lanes, and what options make of both.
    for (const bool options : {false, true}) {
      for (const std::uint32_t queries : {plan.query_tile_rows, 1U}) {
        watch_attention(arena, plan, case_of(random, config, config.workers, queries, options));
      }
    }
    ASSERT_NO_FATAL_FAILURE(arena.expect_nothing_outside());
    expect_written(arena, plan, 0);
    ASSERT_FALSE(HasFailure());
  }
}

/// Bytes that `numbers` of a type take.
std::uint64_t bytes_of(DataType type, std::uint64_t numbers) {
  return numbers * detail::vector_bytes(type) / panel_width;
}

KvCacheConfig any_cache(Random& random) {
  KvCacheConfig config;
  config.max_sequences = random.between(1, 3);
  config.kv_heads = random.between(1, 3);
  config.head_dim = random.between(1, 40);
  config.value_dim = random.between(1, 40);
  config.max_keys = random.between(1, 50);
  config.key_type = value_types[random.between(0, 4)];
  config.value_type = value_types[random.between(0, 4)];
  config.ring = random.between(0, 1) == 1;
  return config;
}

void expect_written(const Painted& memory, const KvCachePlan& plan) {
  const KvCacheConfig& config = plan.config;
  const std::uint64_t tokens = std::uint64_t{config.max_sequences} * config.kv_heads * config.max_keys;
  memory.expect_written("states", plan.states, config.max_sequences * sizeof(std::uint32_t));
  memory.expect_written("keys", plan.keys, bytes_of(config.key_type, tokens * config.head_dim));
  memory.expect_written("values", plan.values, bytes_of(config.value_type, tokens * config.value_dim));
  memory.expect_written("key_scales", plan.key_scales,
                        tokens * detail::token_scale_bytes(config.key_type, config.head_dim));
  memory.expect_written("value_scales", plan.value_scales,
                        tokens * detail::token_scale_bytes(config.value_type, config.value_dim));
}

TEST(TouchedMemory, OfCaches) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 400; number += divisor) {
    SCOPED_TRACE("configuration " + std::to_string(number));
    Random random(82000 + number);
    KvCachePlan plan;
    ASSERT_EQ(make_plan(any_cache(random), plan), Status::ok);
    const KvCacheConfig& config = plan.config;
    // A ring takes more tokens than it has slots.
    const std::uint32_t tokens = config.ring ? config.max_keys + 7 : config.max_keys;
    const std::vector<float> key = random.normals(std::size_t{config.kv_heads} * tokens * config.head_dim);
    const std::vector<float> value = random.normals(std::size_t{config.kv_heads} * tokens * config.value_dim);
    Painted memory(plan.bytes);
    memory.watch([&] {
      KvCache cache;
      ASSERT_EQ(cache.init(plan, memory.span(), storage_of(config)), Status::ok);
      for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
        for (std::uint32_t token = 0; token < tokens; ++token) {
          ConstTensor k = bhsd(key.data(), config.kv_heads, tokens, config.head_dim);
          ConstTensor v = bhsd(value.data(), config.kv_heads, tokens, config.value_dim);
          k.data = k.row(0, 0, token);
          v.data = v.row(0, 0, token);
          ASSERT_EQ(cache.append(sequence, 1, k, v), Status::ok);
        }
      }
    });
    ASSERT_NO_FATAL_FAILURE(memory.expect_nothing_outside());
    expect_written(memory, plan);
    ASSERT_FALSE(HasFailure());
  }
}

MultiHeadConfig any_layer(Random& random) {
  const AttentionConfig attention = any_config(random);
  MultiHeadConfig config{.model_dim = random.between(1, 40), .heads = attention.heads};
  config.kv_heads = attention.kv_heads;
  config.head_dim = attention.head_dim;
  config.value_dim = attention.value_dim;
  config.output_dim = random.between(1, 40);
  config.max_keys = std::min(attention.max_keys, 60U);
  config.max_sequences = random.between(1, 2);
  config.workers = attention.workers;
  config.scratch_budget = attention.scratch_budget;
  config.key_type = value_types[random.between(0, 4)];
  if (random.between(0, 1) == 1) config.value_type = config.key_type;
  return config;
}

/// Sequences are filled but for one token, and then up to the end.
void watch_layer(Painted& arena, const MultiHeadPlan& plan, std::span<const std::byte> packed,
                 const std::vector<float>& input) {
  const MultiHeadConfig& config = plan.config;
  std::vector<float> output(std::size_t{config.max_sequences} * config.max_keys * config.output_dim);
  arena.watch([&] {
    MultiHeadAttention layer;
    ASSERT_EQ(layer.init(plan, arena.span(), packed, storage_of(config)), Status::ok);
    MultiHeadInputs in{.batch = config.max_sequences, .tokens = config.max_keys - 1};
    in.input = dense(input.data(), in.tokens, config.model_dim);
    const MultiHeadOutputs out{.output = dense(output.data(), in.tokens, config.output_dim)};
    if (in.tokens != 0) {
      ASSERT_EQ(layer.prefill(in, out, one_by_one()), Status::ok);
    }
    for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
      ASSERT_EQ(layer.decode(input.data(), output.data(), sequence, one_by_one()), Status::ok);
    }
  });
}

TEST(TouchedMemory, OfLayers) {
  const std::uint32_t divisor = case_divisor();
  std::uint32_t ran = 0;
  for (std::uint32_t number = 0; number < 240; number += divisor) {
    SCOPED_TRACE("configuration " + std::to_string(number));
    Random random(83000 + number);
    MultiHeadPlan plan;
    const Status status = make_plan(any_layer(random), plan);
    // Some staging areas are too small to dequantize values in.
    if (status == Status::bad_option) continue;
    ASSERT_EQ(status, Status::ok);
    ++ran;
    const MultiHeadConfig& config = plan.config;
    const std::size_t inputs = std::size_t{config.max_sequences} * config.max_keys * config.model_dim;
    const std::vector<float> weights = random.normals(40 * 40 * 10);
    Painted packed(plan.weights_bytes);
    packed.watch([&] {
      const float* w = weights.data();
      ASSERT_EQ(pack_weights(plan, {w, w, w, w, w, w, w, w}, packed.span()), Status::ok);
    });
    ASSERT_NO_FATAL_FAILURE(packed.expect_nothing_outside());
    for (const LinearPlan* linear : {&plan.query, &plan.key, &plan.value, &plan.output}) {
      packed.expect_written("weights", linear->weights,
                            std::uint64_t{linear->inputs} * linear->outputs * sizeof(float));
      packed.expect_written("bias", linear->bias, linear->outputs * sizeof(float));
    }
    Painted arena(plan.bytes);
    watch_layer(arena, plan, packed.span(), random.normals(inputs));
    ASSERT_NO_FATAL_FAILURE(arena.expect_nothing_outside());
    expect_written(arena, plan.cache);
    // Rows of one batch entry at a time.
    const std::uint64_t rows = std::min(plan.token_rows, std::max(config.max_keys - 1, 1U));
    arena.expect_written("projected", plan.projected, rows * config.heads * config.head_dim * sizeof(float));
    arena.expect_written("attention_output", plan.attention_output,
                         rows * config.heads * config.value_dim * sizeof(float));
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(ran, 200 / divisor);
}

}  // namespace
}  // namespace heed::test
