// SPDX-License-Identifier: MIT
//
// The layer over a KvCache: over floats it has the bits of the layer over a FloatKvCache, over other types those of
// attention over a cache of the same kind that was filled by hand, and with blocks those of sequences.
#include <gtest/gtest.h>

#include "kv_cache/kv_cache_cases.hpp"
#include "layer/composed_layer.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr LayerMethod methods[] = {LayerMethod::attend, LayerMethod::encode, LayerMethod::prefill};

void expect_same(const LayerResult& got, const LayerResult& expected) {
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_TRUE(same_bits(got.heads, expected.heads));
  ASSERT_TRUE(same_bits(got.scores, expected.scores));
  ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp));
  ASSERT_TRUE(same_bits(got.y, expected.y));
}

LayerOptionsCase any_case(Random& random, std::uint32_t number) {
  LayerOptionsCase c = plain_layer_case(random, methods[number % 3]);
  for (std::uint32_t option = 0; option < option_count; ++option) {
    if (random.between(0, 2) == 0) add_layer_option(random, c, static_cast<Option>(option));
  }
  if (c.shape().head_dim >= 2 && random.between(0, 1) == 0) add_rotary(random, c);
  return c;
}

TEST(KvMultiHead, FloatsHaveTheBitsOfTheOtherCacheWithAnyOptions) {
  const std::uint32_t cases = 300 / case_divisor();
  for (std::uint32_t number = 0; number < cases; ++number) {
    Random random(11000 + number);
    LayerOptionsCase c = any_case(random, number);
    c.config.workers = number % 4 == 0 ? 3 : 1;
    OptionsManner manner;
    if (c.config.workers > 1) manner.base.executor = thread_per_task();
    const LayerWeights weights(random, c.config, number % 2 == 0);
    const ScoreStage stage = score_stages[number / 3 % 4];
    KvMultiHeadConfig config = over_kv_cache(c.config);
    config.ring = number % 5 == 0;  // one that never comes to its end
    KvLayer layer(config, weights.view());
    expect_same(run_over(layer, c, stage, manner), run(c, weights, stage, manner));
    if (HasFatalFailure()) FAIL() << number << ": " << describe(c.options);
  }
}

/// Every call without options, one after the other: what they wrote.
template <class AnyLayer>
std::vector<float> plain_calls(AnyLayer& layer, const std::vector<float>& x, const Executor& executor) {
  const auto& c = layer.plan().config;
  std::vector<float> y;
  MultiHeadInputs in;
  in.batch = 2;
  in.tokens = 3;
  in.input = dense(x.data(), 3, c.model_dim);
  const auto write = [&](const auto& call) {
    const std::size_t begin = y.size();
    y.resize(begin + std::size_t{in.batch} * in.tokens * c.output_dim, -7.0F);
    EXPECT_EQ(call(dense(y.data() + begin, in.tokens, c.output_dim)), Status::ok);
  };
  write([&](MutableMatrix to) { return layer.prefill(in, {.output = to}, executor); });
  EXPECT_EQ(layer.append(in, executor), Status::ok);
  EXPECT_EQ(layer.append(1, nullptr, 2, in.input, executor), Status::ok);
  write([&](MutableMatrix to) { return layer.attend(in, {.output = to}, executor); });
  write([&](MutableMatrix to) { return layer.prefill(in, {.output = to}, executor); });
  in.batch = 1;
  in.tokens = 1;
  write([&](MutableMatrix to) { return layer.decode(x.data(), to.data, 1, executor); });
  write([&](MutableMatrix to) { return layer.decode(x.data(), to.data, 0, MultiHeadOptions{}, executor); });
  EXPECT_EQ(layer.cache().truncate(0, 5), Status::ok);
  write([&](MutableMatrix to) { return layer.decode(x.data(), to.data); });
  EXPECT_EQ(layer.cache().tokens(0), 6U);
  in.tokens = 4;
  write([&](MutableMatrix to) { return layer.encode(in, {.output = to}, executor); });
  return y;
}

TEST(KvMultiHead, PlainCallsHaveTheBitsOfTheOtherCache) {
  for (const std::uint32_t workers : {1U, 3U}) {
    const MultiHeadConfig config =
        completed({.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 20, .max_sequences = 2, .workers = workers});
    Random random(workers);
    const LayerWeights weights(random, config, true);
    const std::vector<float> x = random.normals(2 * 3 * 12);
    Layer plain(config, weights.view());
    KvLayer other(over_kv_cache(config), weights.view());
    const Executor executor = workers > 1 ? thread_per_task() : Executor{};
    ASSERT_TRUE(same_bits(plain_calls(plain.layer, x, executor), plain_calls(other.layer, x, executor)));
  }
}

TEST(KvMultiHead, EveryTypeIsAttentionOverACacheFilledByHand) {
  const std::uint32_t rounds = 4 / std::min(case_divisor(), 4U);
  std::uint32_t number = 0;
  for (const KvCacheConfig& types : every_storage({})) {
    for (std::uint32_t round = 0; round < 3 * rounds; ++round) {
      Random random(12000 + number++);
      LayerOptionsCase c = plain_layer_case(random, methods[round % 3]);
      while (c.shape().value_dim > 16 * c.shape().head_dim) c = plain_layer_case(random, methods[round % 3]);
      if (c.shape().head_dim >= 2 && round % 2 == 0) add_rotary(random, c);
      const LayerWeights weights(random, c.config, true);
      KvMultiHeadConfig config = over_kv_cache(c.config);
      config.key_type = types.key_type;
      config.value_type = types.value_type;
      config.key_scales_per_channel = types.key_scales_per_channel;
      KvMultiHeadPlan plan;
      if (make_plan(config, plan) == Status::bad_option) continue;  // values longer than what is staged
      KvLayer layer(config, weights.view());
      std::vector<float> scales;
      if (types.key_scales_per_channel) {
        scales.assign(std::size_t{config.kv_heads} * config.head_dim, 0.05F);
        ASSERT_EQ(layer.layer.cache().set_key_scales(scales), Status::ok);
      }
      expect_same(run_over(layer, c, ScoreStage::weights, {}), composed_over(plan, scales, c, weights));
      if (HasFatalFailure()) FAIL() << name_of(plan.cache.config) << ", method " << round % 3;
    }
  }
}

/// Two streams with a common prefix in shared blocks, beside the same two in sequences of their own.
TEST(KvMultiHead, BlocksHaveTheBitsOfSequences) {
  for (const DataType type : {DataType::float32, DataType::int8}) {
    KvMultiHeadConfig config{.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 96, .max_sequences = 2};
    config.key_type = config.value_type = type;
    KvMultiHeadConfig paged = config;
    paged.max_keys = 16;
    paged.max_sequences = 12;
    paged.max_blocks = 6;
    Random random(9);
    const LayerWeights weights(random, completed({.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 96}), true);
    KvLayer sequences(config, weights.view());
    KvLayer blocks(paged, weights.view());
    const std::vector<float> prefix = random.normals(32 * 12);
    const std::uint32_t table[] = {7, 2, 0, 5, 9, 11, 7, 2, 8, 1, 3, 4};
    const std::uint32_t none[] = {0};

    MultiHeadInputs in;
    in.tokens = 32;
    in.input = dense(prefix.data(), 32, 12);
    in.block_table = table;
    in.past_lengths = none;
    ASSERT_EQ(blocks.layer.append(in), Status::ok);
    MultiHeadInputs twice = in;
    twice.batch = 2;
    twice.input.batch_stride = 0;
    twice.block_table = nullptr;
    ASSERT_EQ(sequences.layer.append(twice), Status::ok);

    std::uint32_t past[] = {32, 32};
    for (const std::uint32_t tokens : {1U, 20U, 3U, 16U, 1U, 23U}) {
      const std::vector<float> x = random.normals(std::size_t{2} * tokens * 12);
      std::vector<float> y[2];
      for (std::vector<float>& one : y) one.assign(x.size(), -7.0F);
      MultiHeadInputs step;
      step.batch = 2;
      step.tokens = tokens;
      step.input = dense(x.data(), tokens, 12);
      ASSERT_EQ(sequences.layer.prefill(step, {.output = dense(y[0].data(), tokens, 12)}), Status::ok);
      step.block_table = table;
      step.past_lengths = past;
      ASSERT_EQ(blocks.layer.prefill(step, {.output = dense(y[1].data(), tokens, 12)}), Status::ok) << past[0];
      ASSERT_TRUE(same_bits(y[0], y[1])) << tokens << " tokens after " << past[0];
      for (std::uint32_t& length : past) length += tokens;
      ASSERT_EQ(blocks.layer.attend(step, {.output = dense(y[1].data(), tokens, 12)}), Status::ok);
    }
    ASSERT_EQ(past[0], 96U);
    ASSERT_EQ(blocks.layer.cache().length(7), 16U);
  }
}

TEST(KvMultiHead, EncodingEmptiesTheBlocksThatItFills) {
  KvMultiHeadConfig config{.model_dim = 8, .heads = 2, .max_keys = 16, .max_sequences = 4};
  config.max_blocks = 3;
  Random random(3);
  const LayerWeights weights(random, completed({.model_dim = 8, .heads = 2, .max_keys = 48}), true);
  KvLayer blocks(config, weights.view());
  Layer plain({.model_dim = 8, .heads = 2, .max_keys = 48}, weights.view());
  const std::uint32_t table[] = {3, 1, 0};
  for (const std::uint32_t tokens : {40U, 17U, 48U}) {
    const std::vector<float> x = random.normals(std::size_t{tokens} * 8);
    std::vector<float> y[2];
    for (std::vector<float>& one : y) one.assign(x.size(), -7.0F);
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense(x.data(), tokens, 8);
    ASSERT_EQ(plain.layer.encode(in, {.output = dense(y[0].data(), tokens, 8)}), Status::ok);
    in.block_table = table;
    ASSERT_EQ(blocks.layer.encode(in, {.output = dense(y[1].data(), tokens, 8)}), Status::ok);
    ASSERT_TRUE(same_bits(y[0], y[1]));
  }
}

TEST(KvMultiHead, PackedWeightsServeEitherLayer) {
  const MultiHeadConfig config = completed({.model_dim = 20, .heads = 5, .head_dim = 3, .max_keys = 30});
  Random random(1);
  const LayerWeights weights(random, config, true);
  const Layer plain(config, weights.view(), 0);
  const KvLayer other(over_kv_cache(config), weights.view(), 0);
  ASSERT_EQ(plain.plan.weights_bytes, other.plan.weights_bytes);
  ASSERT_EQ(std::memcmp(plain.packed.span().data(), other.packed.span().data(), plain.plan.weights_bytes), 0);
  const MultiHeadWeights views[] = {split_packed(plain.plan, weights.query.data(), nullptr, nullptr, nullptr),
                                    split_packed(other.plan, weights.query.data(), nullptr, nullptr, nullptr)};
  EXPECT_EQ(views[0].key, views[1].key);
  EXPECT_EQ(views[0].value, views[1].value);
}

}  // namespace
}  // namespace heed::test
