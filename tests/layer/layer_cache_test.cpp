// SPDX-License-Identifier: MIT
//
// The layer over caches of every type: the bits of attention over such a cache that was filled by hand, and in pages
// those of sequences.
#include <gtest/gtest.h>

#include "cache/kv_cache_cases.hpp"
#include "layer/layer_options_case.hpp"
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

/// Keys and values of a case [batch, kv_heads, keys, dim], keys rotated, as the layer projects them.
struct ProjectedCase {
  std::vector<float> query, key, value;
};

ProjectedCase projected(const LayerOptionsCase& c, const LayerWeights& w) {
  const AttentionShape& s = c.shape();
  const auto first = static_cast<std::uint32_t>(std::int64_t{s.keys} - s.queries);
  return {split_and_rotate(c, project_in_chains(c.x, c.config.model_dim, w.query, w.query_bias), s.heads, s.queries,
                           c.query_positions, first),
          split_and_rotate(c, project_in_chains(c.memory, c.config.kv_input_dim, w.key, w.key_bias), s.kv_heads, s.keys,
                           c.key_positions, 0),
          swap_heads_and_rows(project_in_chains(c.memory, c.config.kv_input_dim, w.value, w.value_bias), s.batch,
                              s.keys, s.kv_heads, s.value_dim)};
}

void set_scales(KvCache& cache) {
  const KvCacheConfig& c = cache.plan().config;
  if (c.key_type != DataType::int8_channels) return;
  const std::vector<float> scales(std::size_t{c.kv_heads} * c.head_dim, 0.05F);
  EXPECT_EQ(cache.set_key_scales(scales), Status::ok);
}

/// A layer's call made of public parts: projections, a KvCache filled by hand, and attend() over it.
LayerResult composed_over(const MultiHeadPlan& plan, const LayerOptionsCase& c, const LayerWeights& w) {
  const AttentionShape& s = c.shape();
  const ProjectedCase p = projected(c, w);
  AlignedMemory memory(plan.cache.bytes);
  AlignedMemory arena(plan.attention.bytes);
  KvCache cache;
  EXPECT_EQ(cache.init(plan.cache, memory.span(), storage_of(plan.cache.config)), Status::ok);
  set_scales(cache);
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    const std::size_t row = std::size_t{b} * s.kv_heads * s.keys;
    EXPECT_EQ(
        cache.append(c.sequences[b], s.keys, bhsd(p.key.data() + row * s.head_dim, s.kv_heads, s.keys, s.head_dim),
                     bhsd(p.value.data() + row * s.value_dim, s.kv_heads, s.keys, s.value_dim)),
        Status::ok);
  }
  const std::size_t rows = std::size_t{s.batch} * s.heads * s.queries;
  LayerResult result{Status::ok,
                     {},
                     std::vector<float>(rows * s.value_dim),
                     std::vector<float>(rows * s.keys),
                     std::vector<float>(rows)};
  AttentionInputs in;
  in.batch = s.batch;
  in.query_count = s.queries;
  in.query = bhsd(p.query.data(), s.heads, s.queries, s.head_dim);
  in.sequence_ids = c.sequences.data();
  in.causal = c.options.base.causal;
  in.cache = &cache;
  AttentionOutputs out;
  out.output = bhsd(result.heads.data(), s.heads, s.queries, s.value_dim);
  out.scores = bhsd(result.scores.data(), s.heads, s.queries, s.keys);
  out.log_sum_exp = result.log_sum_exp.data();
  result.status = attend(plan.attention, arena.span(), in, out);
  result.y = project_in_chains(swap_heads_and_rows(result.heads, s.batch, s.heads, s.queries, s.value_dim),
                               std::size_t{s.heads} * s.value_dim, w.output, w.output_bias);
  return result;
}

/// Every call with or without MultiHeadOptions, one after the other: what they wrote.
template <class... Options>
std::vector<float> written_by(Layer& layer, const std::vector<float>& x, const Executor& executor,
                              const Options&... options) {
  const MultiHeadConfig& c = layer.plan.config;
  MultiHeadAttention& attention = layer.layer;
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
  write([&](MutableMatrix to) { return attention.prefill(in, options..., {.output = to}, executor); });
  EXPECT_EQ(attention.append(in, options..., executor), Status::ok);
  EXPECT_EQ(attention.append(1, nullptr, 2, in.input, options..., executor), Status::ok);
  write([&](MutableMatrix to) { return attention.attend(in, options..., {.output = to}, executor); });
  write([&](MutableMatrix to) { return attention.prefill(in, options..., {.output = to}, executor); });
  in.batch = 1;
  in.tokens = 1;
  write([&](MutableMatrix to) { return attention.decode(x.data(), to.data, 1, options..., executor); });
  EXPECT_EQ(attention.cache().truncate(0, c.ring != 0 ? 0 : 5), Status::ok);
  write([&](MutableMatrix to) { return attention.decode(x.data(), to.data, 0, options...); });
  EXPECT_EQ(attention.cache().tokens(0), c.ring != 0 ? 1U : 6U);
  in.tokens = 4;
  write([&](MutableMatrix to) { return attention.encode(in, options..., {.output = to}, executor); });
  return y;
}

TEST(LayerCache, CallsWithoutOptionsHaveTheBitsOfThoseWithNone) {
  for (const KvCacheConfig& types : every_storage({})) {
    for (const char* kind : {"sequences", "ring", "a plan with pages"}) {
      const bool ring = *kind == 'r';
      const std::uint32_t workers = ring ? 3 : 1;
      MultiHeadConfig config = completed(
          {.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 20, .max_sequences = 2, .workers = workers});
      config.key_type = types.key_type;
      config.value_type = types.value_type;
      config.ring = ring;
      if (ring) config.max_keys = 5;
      if (*kind == 'a') {
        config.max_keys = 32;
        config.max_pages = 2;
      }
      Random random(workers);
      const LayerWeights weights(random, config, true);
      const std::vector<float> x = random.normals(2 * 3 * 12);
      Layer plain(config, weights.view());
      Layer other(config, weights.view());
      set_scales(plain.layer.cache());
      set_scales(other.layer.cache());
      const Executor executor = workers > 1 ? thread_per_task() : Executor{};
      ASSERT_TRUE(same_bits(written_by(plain, x, executor), written_by(other, x, executor, MultiHeadOptions{})))
          << kind << ", " << name_of(plain.plan.cache.config);
      ASSERT_EQ(std::memcmp(plain.arena.span().data(), other.arena.span().data(), plain.plan.state.bytes), 0);
    }
  }
}

TEST(LayerCache, EveryTypeIsAttentionOverACacheFilledByHand) {
  const std::uint32_t rounds = 4 / std::min(case_divisor(), 4U);
  std::uint32_t number = 0;
  for (const KvCacheConfig& types : every_storage({})) {
    for (std::uint32_t round = 0; round < 3 * rounds; ++round) {
      Random random(12000 + number++);
      LayerOptionsCase c = plain_layer_case(random, methods[round % 3]);
      while (c.shape().value_dim > 16 * c.shape().head_dim) c = plain_layer_case(random, methods[round % 3]);
      if (c.shape().head_dim >= 2 && round % 2 == 0) add_rotary(random, c);
      const LayerWeights weights(random, c.config, true);
      MultiHeadConfig config = c.config;
      config.key_type = types.key_type;
      config.value_type = types.value_type;
      MultiHeadPlan plan;
      if (make_plan(config, plan) == Status::bad_option) continue;  // values longer than what is staged
      Layer layer(config, weights.view());
      set_scales(layer.layer.cache());
      expect_same(run(layer, c, ScoreStage::weights, {}), composed_over(plan, c, weights));
      if (HasFatalFailure()) FAIL() << name_of(plan.cache.config) << ", method " << round % 3;
    }
  }
}

/// Two streams with a common prefix in shared pages, beside the same two in sequences of their own.
TEST(LayerCache, PagesHaveTheBitsOfSequences) {
  for (const KvCacheConfig& types : every_storage({})) {
    MultiHeadConfig config{.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 96, .max_sequences = 2};
    config.key_type = types.key_type;
    config.value_type = types.value_type;
    MultiHeadConfig paged = config;
    paged.max_keys = 16;
    paged.max_sequences = 12;
    paged.max_pages = 6;
    Random random(9);
    const LayerWeights weights(random, completed({.model_dim = 12, .heads = 4, .kv_heads = 2, .max_keys = 96}), true);
    Layer sequences(config, weights.view());
    Layer pages(paged, weights.view());
    set_scales(sequences.layer.cache());
    set_scales(pages.layer.cache());
    const std::vector<float> prefix = random.normals(32 * 12);
    const std::uint32_t table[] = {7, 2, 0, 5, 9, 11, 7, 2, 8, 1, 3, 4};
    const std::uint32_t none[] = {0};

    MultiHeadInputs in;
    in.tokens = 32;
    in.input = dense(prefix.data(), 32, 12);
    in.page_table = table;
    in.past_lengths = none;
    ASSERT_EQ(pages.layer.append(in), Status::ok);
    MultiHeadInputs twice = in;
    twice.batch = 2;
    twice.input.batch_stride = 0;
    twice.page_table = nullptr;
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
      step.page_table = table;
      step.past_lengths = past;
      ASSERT_EQ(pages.layer.prefill(step, {.output = dense(y[1].data(), tokens, 12)}), Status::ok) << past[0];
      ASSERT_TRUE(same_bits(y[0], y[1])) << tokens << " tokens after " << past[0];
      for (std::uint32_t& length : past) length += tokens;
      ASSERT_EQ(pages.layer.attend(step, {.output = dense(y[1].data(), tokens, 12)}), Status::ok);
    }
    ASSERT_EQ(past[0], 96U);
    ASSERT_EQ(pages.layer.cache().length(7), 16U);
  }
}

TEST(LayerCache, EncodingEmptiesThePagesThatItFills) {
  MultiHeadConfig config{.model_dim = 8, .heads = 2, .max_keys = 16, .max_sequences = 4};
  config.max_pages = 3;
  Random random(3);
  const LayerWeights weights(random, completed({.model_dim = 8, .heads = 2, .max_keys = 48}), true);
  Layer pages(config, weights.view());
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
    in.page_table = table;
    ASSERT_EQ(pages.layer.encode(in, {.output = dense(y[1].data(), tokens, 8)}), Status::ok);
    ASSERT_TRUE(same_bits(y[0], y[1]));
  }
}

}  // namespace
}  // namespace heed::test
