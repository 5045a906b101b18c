// SPDX-License-Identifier: MIT
//
// The C interface against the C++ one, to the bit: every option at once, each with a value of its own.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

heed_const_tensor c_view(const ConstTensor& view) {
  return {view.data, view.batch_stride, view.head_stride, view.row_stride};
}

heed_tensor c_view(const MutableTensor& view) {
  return {view.data, view.batch_stride, view.head_stride, view.row_stride};
}

/// Data of all options for two batch entries of two heads, seven queries and nine keys.
struct OptionData {
  static constexpr std::uint32_t batch = 2, heads = 2, queries = 7, keys = 9, dim = 5, left = 3, right = 2;
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

  [[nodiscard]] AttentionOptions cpp(bool with_sinks) const {
    AttentionOptions options;
    options.causal_offsets = causal_offsets.data();
    options.query_lengths = query_lengths.data();
    options.prefix_lengths = prefix_lengths.data();
    options.window_left = 4;
    options.window_right = 2;
    options.bool_mask = {bool_mask.data(), 0, 0, 2, keys, MaskFormat::bits};
    options.additive_mask = {{mask.data(), 0, queries * (keys - 1), keys - 1}, keys - 1};
    options.pre_softcap_bias = {{pre_softcap_bias.data(), keys, 0, 0}, keys};
    options.softcap = 1.5F;
    options.alibi_slopes = slopes.data();
    options.relative_bias = {relative.data(), left + 1 + right, left, right};
    options.sink_logits = with_sinks ? sinks.data() : nullptr;
    options.score_selection = {1, 1, 2, 3};
    options.smooth_softmax = !with_sinks;
    return options;
  }

  [[nodiscard]] heed_attention_options c(bool with_sinks) const {
    heed_attention_options options{};
    options.causal_offsets = causal_offsets.data();
    options.query_lengths = query_lengths.data();
    options.prefix_lengths = prefix_lengths.data();
    options.window_keys_left = 5;
    options.window_keys_right = 3;
    options.bool_mask = {bool_mask.data(), 0, 0, 2, keys, HEED_MASK_BITS};
    options.additive_mask = {{mask.data(), 0, queries * (keys - 1), keys - 1}, keys - 1};
    options.pre_softcap_bias = {{pre_softcap_bias.data(), keys, 0, 0}, keys};
    options.softcap = 1.5F;
    options.alibi_slopes = slopes.data();
    options.relative_bias = {relative.data(), left + 1 + right, left, right};
    options.sink_logits = with_sinks ? sinks.data() : nullptr;
    options.score_selection = {1, 1, 2, 3};
    options.smooth_softmax = with_sinks ? 0 : 7;
    return options;
  }
};

using D = OptionData;

struct Results {
  std::vector<float> output = std::vector<float>(D::batch * D::heads * D::queries * D::dim, -7.0F);
  std::vector<float> scores = std::vector<float>(D::batch * 3 * D::keys, -7.0F);
  std::vector<float> log_sum_exp = std::vector<float>(D::batch * D::heads * D::queries, -7.0F);

  [[nodiscard]] AttentionOutputs cpp() {
    return {bhsd(output.data(), D::heads, D::queries, D::dim), bhsd(scores.data(), 1, 3, D::keys), ScoreStage::masked,
            log_sum_exp.data()};
  }

  [[nodiscard]] heed_attention_outputs c() {
    const AttentionOutputs same = cpp();
    return {c_view(same.output), c_view(same.scores), HEED_SCORE_MASKED, log_sum_exp.data()};
  }

  friend bool operator==(const Results& a, const Results& b) {
    const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](float p, float q) {
        return std::bit_cast<std::uint32_t>(p) == std::bit_cast<std::uint32_t>(q);
      });
    };
    return same(a.output, b.output) && same(a.scores, b.scores) && same(a.log_sum_exp, b.log_sum_exp);
  }
};

class CTwinTest : public testing::Test {
 protected:
  CTwinTest() {
    EXPECT_EQ(make_plan(AttentionConfig{.heads = D::heads, .head_dim = D::dim}, plan_), Status::ok);
    const heed_attention_config config{.heads = D::heads,
                                       .kv_heads = 0,
                                       .head_dim = D::dim,
                                       .value_dim = 0,
                                       .max_keys = 0,
                                       .workers = 1,
                                       .scratch_budget = 0};
    EXPECT_EQ(heed_plan_attention(&config, &c_plan_), HEED_OK);
    EXPECT_EQ(c_plan_.bytes, plan_.bytes);
  }

  [[nodiscard]] AttentionInputs inputs() const {
    AttentionInputs inputs;
    inputs.batch = D::batch;
    inputs.query_count = D::queries;
    inputs.key_count = D::keys;
    inputs.query = bhsd(query_.data(), D::heads, D::queries, D::dim);
    inputs.key = bhsd(key_.data(), D::heads, D::keys, D::dim);
    inputs.value = bhsd(value_.data(), D::heads, D::keys, D::dim);
    inputs.causal = Causal::offset;
    return inputs;
  }

  [[nodiscard]] heed_attention_inputs c_inputs() const {
    const AttentionInputs same = inputs();
    heed_attention_inputs inputs{};
    inputs.batch = same.batch;
    inputs.query_count = same.query_count;
    inputs.key_count = same.key_count;
    inputs.query = c_view(same.query);
    inputs.key = c_view(same.key);
    inputs.value = c_view(same.value);
    inputs.causal = HEED_CAUSAL_OFFSET;
    return inputs;
  }

  OptionData data_;
  std::vector<float> query_ = data_.random.normals(D::batch * D::heads * D::queries * D::dim);
  std::vector<float> key_ = data_.random.normals(D::batch * D::heads * D::keys * D::dim);
  std::vector<float> value_ = data_.random.normals(D::batch * D::heads * D::keys * D::dim);
  AttentionPlan plan_;
  heed_attention_plan c_plan_{};
};

TEST_F(CTwinTest, Attention) {
  const AlignedMemory arena(plan_.bytes);
  for (const bool with_sinks : {false, true}) {
    Results expected, results;
    const heed_attention_inputs reads = c_inputs();
    const heed_attention_options options = data_.c(with_sinks);
    const heed_attention_outputs writes = results.c();
    ASSERT_EQ(attend(plan_, arena.span(), inputs(), data_.cpp(with_sinks), expected.cpp()), Status::ok);
    ASSERT_EQ(heed_attend_with_options(&c_plan_, arena.span().data(), arena.span().size(), &reads, &options, &writes,
                                       nullptr),
              HEED_OK);
    EXPECT_TRUE(results == expected) << with_sinks;
  }
}

class CKvCacheTwinTest : public CTwinTest, public testing::WithParamInterface<bool> {};

/// Nine tokens in sixteen slots, or in a ring of seven.
TEST_P(CKvCacheTwinTest, Attention) {
  const AlignedMemory arena(plan_.bytes);
  KvCacheConfig config{.max_sequences = 2, .kv_heads = D::heads, .head_dim = D::dim, .max_keys = 16};
  config.ring = GetParam() ? 1 : 0;
  if (GetParam()) config.max_keys = 7, config.sink_tokens = 2;
  config.key_type = DataType::int8;
  config.value_type = DataType::float16;
  KvCachePlan plan;
  ASSERT_EQ(make_plan(config, plan), Status::ok);
  const AlignedMemory memory(plan.bytes), c_memory(plan.bytes);
  KvCache cache;
  const KvStorage storage{.formats = {&int8_cache, &float16_cache}, .ring = &kv_ring_with_positions};
  ASSERT_EQ(cache.init(plan, memory.span(), storage), Status::ok);
  const auto c_storage = std::bit_cast<heed_kv_storage>(storage);
  heed_kv_cache_config c_config{};
  c_config.max_sequences = 2;
  c_config.kv_heads = D::heads;
  c_config.head_dim = D::dim;
  c_config.max_keys = config.max_keys;
  c_config.ring = config.ring;
  c_config.sink_tokens = config.sink_tokens;
  c_config.key_type = HEED_DATA_TYPE_INT8;
  c_config.value_type = HEED_DATA_TYPE_FLOAT16;
  heed_kv_cache_plan c_plan{};
  heed_kv_cache c_cache{};
  ASSERT_EQ(heed_plan_kv_cache(&c_config, &c_plan), HEED_OK);
  ASSERT_EQ(heed_kv_cache_init(&c_cache, &c_plan, c_memory.span().data(), c_memory.span().size(), &c_storage), HEED_OK);
  for (std::uint32_t b = 0; b < D::batch; ++b) {
    const ConstTensor key{inputs().key.row(b, 0, 0), 0, D::keys * D::dim, D::dim};
    const ConstTensor value{inputs().value.row(b, 0, 0), 0, D::keys * D::dim, D::dim};
    ASSERT_EQ(cache.append(b, D::keys, key, value), Status::ok);
    ASSERT_EQ(heed_kv_cache_append(&c_cache, b, D::keys, c_view(key), c_view(value)), HEED_OK);
  }
  Results expected, results;
  AttentionInputs over_cache = inputs();
  over_cache.cache = &cache;
  heed_attention_inputs reads = c_inputs();
  reads.cache = &c_cache;
  const heed_attention_options options = data_.c(true);
  const heed_attention_outputs writes = results.c();
  ASSERT_EQ(attend(plan_, arena.span(), over_cache, data_.cpp(true), expected.cpp()), Status::ok);
  ASSERT_EQ(
      heed_attend_with_options(&c_plan_, arena.span().data(), arena.span().size(), &reads, &options, &writes, nullptr),
      HEED_OK);
  EXPECT_TRUE(results == expected);
}

INSTANTIATE_TEST_SUITE_P(Ring, CKvCacheTwinTest, testing::Bool());

}  // namespace
}  // namespace heed::test
