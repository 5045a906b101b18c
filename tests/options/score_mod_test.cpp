// SPDX-License-Identifier: MIT
//
// A score modifier compiled into this program's own kernel.
#include <gtest/gtest.h>

#include "options/attend_with_score_mod.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t batch = 2, heads = 4, kv_heads = 2, queries = 37, keys = 310, dim = 24;

class ModifierTest : public testing::Test {
 protected:
  ModifierTest() {
    EXPECT_EQ(make_plan(AttentionConfig{.heads = heads, .kv_heads = kv_heads, .head_dim = dim}, plan_), Status::ok);
    inputs_.batch = batch;
    inputs_.query_count = queries;
    inputs_.key_count = keys;
    inputs_.query = bhsd<const float>(query_.data(), heads, queries, dim);
    inputs_.key = bhsd<const float>(key_.data(), kv_heads, keys, dim);
    inputs_.value = bhsd<const float>(value_.data(), kv_heads, keys, dim);
    inputs_.causal = Causal::bottom_right;
  }

  template <class Modifier>
  std::vector<float> run(const AttentionOptions& options, const Modifier& modifier) {
    const AlignedMemory arena(plan_.bytes);
    std::vector<float> output(batch * heads * queries * dim, -1.0F);
    AttentionOutputs outputs;
    outputs.output = bhsd(output.data(), heads, queries, dim);
    EXPECT_EQ(attend_with_score_mod(plan_, arena.span(), inputs_, options, outputs, modifier), Status::ok);
    return output;
  }

  std::vector<float> run(const AttentionOptions& options) {
    const AlignedMemory arena(plan_.bytes);
    std::vector<float> output(batch * heads * queries * dim, -1.0F);
    AttentionOutputs outputs;
    outputs.output = bhsd(output.data(), heads, queries, dim);
    EXPECT_EQ(attend(plan_, arena.span(), inputs_, options, outputs), Status::ok);
    return output;
  }

  Random random_{11};
  std::vector<float> query_ = random_.normals(batch * heads * queries * dim);
  std::vector<float> key_ = random_.normals(batch * kv_heads * keys * dim);
  std::vector<float> value_ = random_.normals(batch * kv_heads * keys * dim);
  AttentionPlan plan_;
  AttentionInputs inputs_;
};

void expect_near(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6) << i;
}

TEST_F(ModifierTest, GetsTheScoreInItsPlace) {
  const std::vector<float> slopes = {0.5F, 0.25F, 0.125F, 0.0625F};
  AttentionOptions with_slopes;
  with_slopes.alibi_slopes = slopes.data();
  const auto own = [&](float score, std::uint32_t, std::uint32_t head, std::uint32_t query,
                       std::uint32_t key) noexcept -> float {
    const float distance = static_cast<float>(query + (keys - queries)) - static_cast<float>(key);
    return score - slopes[head] * (distance < 0 ? -distance : distance);
  };
  expect_near(run({}, own), run(with_slopes));
}

TEST_F(ModifierTest, KnowsTheBatchEntry) {
  std::vector<float> bias(batch * keys);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i % 7) * 0.3F;
  AttentionOptions with_bias;
  with_bias.additive_mask = {{bias.data(), keys, 0, 0}, keys};
  const auto own = [&](float score, std::uint32_t b, std::uint32_t, std::uint32_t,
                       std::uint32_t key) noexcept -> float { return score + bias[b * keys + key]; };
  expect_near(run({}, own), run(with_bias));
}

TEST_F(ModifierTest, ComposesWithOptions) {
  AttentionOptions options;
  options.softcap = 2.0F;
  options.window_left = 40;
  const auto unchanged = [](float score, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) noexcept -> float {
    return score;
  };
  expect_near(run(options, unchanged), run(options));
}

}  // namespace
}  // namespace heed::test
