// SPDX-License-Identifier: MIT
//
// Attention in the C interface against that of C++, to the bit: every option at once, each with a value of its own,
// over tensors and over a cache.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t batch = 2, heads = 2, queries = 7, keys = 9, dim = 5, left = 3, right = 2;

/// Data of all options.
struct OptionData {
  Random random{11};
  std::vector<std::int32_t> causal_offsets{3, 1};
  std::vector<std::uint32_t> query_lengths{6, 7}, prefix_lengths{7, 6};
  std::vector<std::uint8_t> bool_mask;  // [queries, 2], bits
  std::vector<float> mask = random.normals(heads * queries * (keys - 1));
  std::vector<float> pre_softcap_bias = random.normals(batch * keys);
  std::vector<float> slopes{0.125F, 0.5F}, sinks{-0.5F, 0.75F};
  std::vector<float> relative = random.normals(heads * (left + 1 + right));

  OptionData() {
    for (std::uint32_t i = 0; i < queries; ++i) {
      bool_mask.push_back(static_cast<std::uint8_t>(0xF7U ^ (1U << i)));
      bool_mask.push_back(1);
    }
  }

  [[nodiscard]] AttentionOptions options(bool with_sinks) const {
    return {.causal_offsets = causal_offsets.data(),
            .query_lengths = query_lengths.data(),
            .prefix_lengths = prefix_lengths.data(),
            .left_window = 5,
            .right_window = 3,
            .bool_mask = {bool_mask.data(), 0, 0, 2, keys, MaskFormat::bits},
            .additive_mask = {{mask.data(), 0, queries * (keys - 1), keys - 1}, keys - 1},
            .pre_softcap_bias = {{pre_softcap_bias.data(), keys, 0, 0}, keys},
            .softcap = 1.5F,
            .alibi_slopes = slopes.data(),
            .relative_bias = {relative.data(), left + 1 + right, left, right},
            .sink_logits = with_sinks ? sinks.data() : nullptr,
            .score_selection = {1, 1, 2, 3},
            .smooth_softmax = !with_sinks};
  }
};

struct Results {
  std::vector<float> output = std::vector<float>(batch * heads * queries * dim, -7.0F);
  std::vector<float> scores = std::vector<float>(batch * 3 * keys, -7.0F);
  std::vector<float> log_sum_exp = std::vector<float>(batch * heads * queries, -7.0F);

  [[nodiscard]] AttentionOutputs outputs() {
    return {bhsd(output.data(), heads, queries, dim), bhsd(scores.data(), 1, 3, keys), ScoreStage::masked,
            log_sum_exp.data()};
  }

  friend bool operator==(const Results& a, const Results& b) {
    return same_bits(a.output, b.output) && same_bits(a.scores, b.scores) && same_bits(a.log_sum_exp, b.log_sum_exp);
  }
};

class CTwinTest : public testing::Test {
 protected:
  CTwinTest() {
    const AttentionConfig config{.heads = heads, .head_dim = dim};
    AttentionPlan same;
    EXPECT_EQ(heed_plan_attention(&config, &plan_), Status::ok);
    EXPECT_EQ(make_plan(config, same), Status::ok);
    EXPECT_TRUE(plan_ == same);
  }

  [[nodiscard]] AttentionInputs inputs() const {
    AttentionInputs inputs;
    inputs.batch = batch;
    inputs.query_count = queries;
    inputs.key_count = keys;
    inputs.query = bhsd(query_.data(), heads, queries, dim);
    inputs.key = bhsd(key_.data(), heads, keys, dim);
    inputs.value = bhsd(value_.data(), heads, keys, dim);
    inputs.causal = Causal::offset;
    return inputs;
  }

  void expect_same(const AttentionInputs& reads, bool with_sinks) const {
    const AlignedMemory arena(plan_.bytes);
    const AttentionOptions options = data_.options(with_sinks);
    Results expected, results;
    const AttentionOutputs writes = results.outputs();
    ASSERT_EQ(attend(plan_, arena.span(), reads, options, expected.outputs()), Status::ok);
    ASSERT_EQ(heed_attend_with_options(&plan_, arena.span().data(), plan_.bytes, &reads, &options, &writes, nullptr),
              Status::ok);
    EXPECT_TRUE(results == expected);
    EXPECT_EQ(
        heed_attend_with_options(&plan_, arena.span().data(), plan_.bytes - 1, &reads, &options, &writes, nullptr),
        Status::arena_too_small);
  }

  OptionData data_;
  std::vector<float> query_ = data_.random.normals(batch * heads * queries * dim);
  std::vector<float> key_ = data_.random.normals(batch * heads * keys * dim);
  std::vector<float> value_ = data_.random.normals(batch * heads * keys * dim);
  AttentionPlan plan_;
};

TEST_F(CTwinTest, Attention) {
  expect_same(inputs(), false);
  expect_same(inputs(), true);
}

class CKvCacheTwinTest : public CTwinTest, public testing::WithParamInterface<bool> {};

/// Nine tokens in sixteen slots, or in a ring of seven.
TEST_P(CKvCacheTwinTest, Attention) {
  KvCacheConfig config{.max_sequences = 2, .kv_heads = heads, .head_dim = dim, .max_keys = 16};
  if (GetParam()) config.max_keys = 7, config.sink_tokens = 2, config.ring = 1;
  config.key_type = DataType::int8;
  config.value_type = DataType::float16;
  KvCachePlan plan;
  ASSERT_EQ(heed_plan_kv_cache(&config, &plan), Status::ok);
  const AlignedMemory memory(plan.bytes);
  KvCache cache;
  const KvStorage storage{.formats = {&int8_cache, &float16_cache}, .ring = &kv_ring_with_positions};
  ASSERT_EQ(heed_kv_cache_init(&cache, &plan, memory.span().data(), plan.bytes - 1, &storage), Status::arena_too_small);
  ASSERT_EQ(heed_kv_cache_init(&cache, &plan, memory.span().data(), plan.bytes, &storage), Status::ok);
  for (std::uint32_t b = 0; b < batch; ++b) {
    const ConstTensor key{inputs().key.row(b, 0, 0), 0, keys * dim, dim};
    const ConstTensor value{inputs().value.row(b, 0, 0), 0, keys * dim, dim};
    ASSERT_EQ(heed_kv_cache_append(&cache, b, keys, key, value), Status::ok);
    EXPECT_EQ(heed_kv_cache_tokens(&cache, b), keys);
  }
  AttentionInputs reads = inputs();
  reads.cache = &cache;
  expect_same(reads, true);
}

INSTANTIATE_TEST_SUITE_P(Ring, CKvCacheTwinTest, testing::Bool());

}  // namespace
}  // namespace heed::test
