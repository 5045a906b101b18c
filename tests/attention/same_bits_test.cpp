// SPDX-License-Identifier: MIT
//
// The same bits on every port, compiler and optimisation level, for any executor, scratch, memory and split of the
// work.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "support/cases.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

AttentionCase shape_number(std::uint32_t number, float spread) {
  Random random(1000 + number);
  AttentionShape s;
  s.kv_heads = random.between(1, 2);
  s.heads = s.kv_heads * random.between(1, 3);
  s.batch = random.between(1, 2);
  s.queries = random.between(1, 40);
  s.keys = number % 10 == 0 ? random.between(200, 600) : random.between(1, 70);
  s.head_dim = random.between(1, 70);
  s.value_dim = random.between(1, 70);
  AttentionCase c = random_case(random, s, spread);
  c.causal = static_cast<Causal>(number % 4);
  c.offset = static_cast<std::int32_t>(random.between(0, 20));
  if (number % 3 == 0) {
    for (std::uint32_t b = 0; b < s.batch; ++b) c.lengths.push_back(random.between(0, s.keys));
  }
  return c;
}

std::uint64_t hash_of_attention(float spread) {
  Hash hash;
  for (std::uint32_t number = 0; number < 300; ++number) {
    Manner manner;
    manner.want_scores = true;
    manner.stage = score_stages[number % 4];
    const Result result = run(shape_number(number, spread), manner);
    EXPECT_EQ(result.status, Status::ok);
    hash.add(result.output);
    hash.add(result.log_sum_exp);
    hash.add(result.scores);
  }
  return hash.value();
}

MultiHeadConfig layer_config(Random& random) {
  MultiHeadConfig config;
  config.kv_heads = random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 2);
  config.model_dim = random.between(1, 90);
  config.head_dim = random.between(1, 33);
  config.value_dim = random.between(1, 33);
  config.output_dim = random.between(1, 90);
  config.max_keys = 90;
  return completed(config);
}

std::vector<float> prefill_in_parts(const MultiHeadConfig& config, const LayerWeights& weights,
                                    const std::vector<float>& x, const std::vector<std::uint32_t>& parts,
                                    const Executor& executor = {}) {
  Layer layer(config, weights.view());
  std::vector<float> y(x.size() / config.model_dim * config.output_dim);
  std::size_t first = 0;
  for (const std::uint32_t tokens : parts) {
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense(x.data() + first * config.model_dim, tokens, config.model_dim);
    MultiHeadOutputs out;
    out.output = dense(y.data() + first * config.output_dim, tokens, config.output_dim);
    EXPECT_EQ(layer.layer.prefill(in, out, executor), Status::ok);
    first += tokens;
  }
  return y;
}

// The golden values of the arithmetic. They change only when the meaning of a result changes.
constexpr std::uint64_t golden_attention = 0x76AC88B3DC6FD9C7U;
constexpr std::uint64_t golden_attention_wide = 0x6E93293C84F21D35U;
constexpr std::uint64_t golden_layer = 0x60CECD31D58B818BU;
constexpr std::uint64_t golden_positions = 0x9C975290336C9495U;

TEST(SameBits, GoldenHashOfAttention) {
  EXPECT_EQ(hash_of_attention(1.0F), golden_attention);
}

TEST(SameBits, GoldenHashOfAttentionWithWideScores) {
  EXPECT_EQ(hash_of_attention(8.0F), golden_attention_wide);
}

TEST(SameBits, GoldenHashOfLayers) {
  Hash hash;
  for (std::uint32_t number = 0; number < 60; ++number) {
    Random random(5000 + number);
    const MultiHeadConfig config = layer_config(random);
    const LayerWeights weights(random, config, number % 2 == 0);
    const std::uint32_t tokens = random.between(1, 90);
    hash.add(prefill_in_parts(config, weights, random.normals(std::size_t{tokens} * config.model_dim), {tokens}));
  }
  EXPECT_EQ(hash.value(), golden_layer);
}

TEST(SameBits, GoldenHashOfPositions) {
  Hash hash;
  for (const std::uint32_t dim : {1U, 2U, 7U, 64U, 100U, 512U}) {
    for (const SinusoidLayout order : {SinusoidLayout::interleaved, SinusoidLayout::halves}) {
      std::vector<float> x(std::size_t{40} * dim, 0.0F);
      EXPECT_EQ(add_sinusoidal_positions(dense(x.data(), 40, dim), 40, dim, 1000 * dim, order), Status::ok);
      hash.add(x);
    }
  }
  EXPECT_EQ(hash.value(), golden_positions);
}

TEST(SameBits, WhateverTheMannerOfRunning) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 300; number += step) {
    const AttentionCase c = shape_number(number, 3.0F);
    const Result plain = run(c);
    for (const std::uint32_t budget : {1U, 5000U, 12000U, 30000U, 1U << 20}) {
      ASSERT_TRUE(same_bits(run(c, {.scratch_budget = budget}).output, plain.output)) << number << ' ' << budget;
      ASSERT_TRUE(same_bits(run(c, {.scratch_budget = budget, .from_cache = true}).output, plain.output)) << number;
    }
    ASSERT_TRUE(same_bits(run(c, {.from_cache = true, .arena_fill = 0x7F}).output, plain.output)) << number;
    ASSERT_TRUE(same_bits(run(c, {.rows_first_layout = true, .arena_fill = 0}).output, plain.output)) << number;
    ASSERT_TRUE(same_bits(run(c, {.max_keys = c.shape.keys}).output, plain.output)) << number;
    for (const std::uint32_t workers : {2U, 3U}) {
      const Result got = run(c, {.workers = workers, .executor = thread_per_task()});
      ASSERT_TRUE(same_bits(got.output, plain.output)) << number << " workers " << workers;
      ASSERT_TRUE(same_bits(got.log_sum_exp, plain.log_sum_exp)) << number;
    }
  }
}

TEST(SameBits, ARowDependsOnItselfAlone) {
  for (std::uint32_t number = 0; number < 100; ++number) {
    const AttentionCase c = shape_number(number, 1.0F);
    const Result whole = run(c);
    const AttentionShape& s = c.shape;
    AttentionCase one = c;
    one.shape.queries = 1;
    for (std::uint32_t i = 0; i < s.queries; i += 7) {
      one.query.clear();
      for (std::size_t stream = 0; stream < std::size_t{s.batch} * s.heads; ++stream) {
        const auto from = c.query.begin() + static_cast<std::ptrdiff_t>((stream * s.queries + i) * s.head_dim);
        one.query.insert(one.query.end(), from, from + s.head_dim);
      }
      if (c.causal == Causal::bottom_right) continue;  // the offset would be another one
      one.causal = c.causal == Causal::none ? Causal::none : Causal::offset;
      one.offset = static_cast<std::int32_t>(i) + (c.causal == Causal::offset ? c.offset : 0);
      const Result alone = run(one);
      for (std::size_t stream = 0; stream < std::size_t{s.batch} * s.heads; ++stream) {
        ASSERT_EQ(0, std::memcmp(&alone.output[stream * s.value_dim],
                                 &whole.output[(stream * s.queries + i) * s.value_dim], s.value_dim * sizeof(float)))
            << number << " query " << i;
      }
    }
  }
}

TEST(SameBits, DecodeEqualsChunksEqualsPrefill) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    Random random(9000 + number);
    MultiHeadConfig config = layer_config(random);
    config.max_keys = 300;
    const LayerWeights weights(random, config, true);
    const std::uint32_t tokens = number < 3 ? 290 : random.between(20, 90);
    const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
    const std::vector<float> whole = prefill_in_parts(config, weights, x, {tokens});
    EXPECT_TRUE(same_bits(whole, prefill_in_parts(config, weights, x, std::vector<std::uint32_t>(tokens, 1))));
    EXPECT_TRUE(same_bits(whole, prefill_in_parts(config, weights, x, {1, 7, tokens - 17, 9})));
    config.workers = 3;
    EXPECT_TRUE(same_bits(whole, prefill_in_parts(config, weights, x, {11, tokens - 11}, thread_per_task())));
    config.scratch_budget = 1;
    EXPECT_TRUE(same_bits(whole, prefill_in_parts(config, weights, x, {tokens})));
  }
}

TEST(SameBits, AStateMovedByACopyGoesOnAsItWas) {
  Random random(77);
  const MultiHeadConfig config = completed({.model_dim = 24, .heads = 2, .max_keys = 40});
  const LayerWeights weights(random, config, false);
  const std::vector<float> x = random.normals(std::size_t{20} * 24);
  std::vector<float> y(24), moved(24);
  Layer first(config, weights.view());
  Layer second(config, weights.view(), kv_ring, 0x55);
  for (std::size_t t = 0; t < 19; ++t) ASSERT_EQ(first.layer.decode(&x[t * 24], y.data()), Status::ok);
  const Region& state = first.plan.state;
  std::memcpy(second.arena.span().data() + state.offset, first.arena.span().data() + state.offset, state.bytes);
  ASSERT_EQ(second.layer.bind(second.plan, second.arena.span(), second.packed.span()), Status::ok);
  ASSERT_EQ(first.layer.decode(&x[19 * 24], y.data()), Status::ok);
  ASSERT_EQ(second.layer.decode(&x[19 * 24], moved.data()), Status::ok);
  EXPECT_TRUE(same_bits(y, moved));
}

}  // namespace
}  // namespace heed::test
