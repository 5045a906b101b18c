// SPDX-License-Identifier: MIT
//
// A score modifier compiled into this program's own kernel.
#include <cmath>

#include "options/score_mod_case.hpp"

namespace heed::test {
namespace {

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
  options.left_window = 41;
  const auto unchanged = [](float score, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) noexcept -> float {
    return score;
  };
  expect_near(run(options, unchanged), run(options));
}

/// A square commutes with nothing: not with a softcap, nor with what is added, nor with the -inf of a closed key.
TEST_F(ModifierTest, ComesBehindTheSoftcapAndBeforeMasksAndBiases) {
  const std::vector<float> slopes = {0.5F, 0.25F, 0.125F, 0.0625F};
  std::vector<float> mask(keys);
  for (std::size_t j = 0; j < keys; ++j) mask[j] = j % 5 == 2 ? minus_infinity : static_cast<float>(j % 7) * -0.3F;
  AttentionOptions options;
  options.softcap = 2.0F;
  options.alibi_slopes = slopes.data();
  options.additive_mask = {{mask.data(), 0, 0, 0}, keys};
  const auto square = [](float score, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) noexcept -> float {
    return score * score;
  };
  std::vector<float> capped, modified_capped, scores;
  want(capped, ScoreStage::softcapped);
  run(options);
  want(modified_capped, ScoreStage::softcapped);
  run(options, square);
  EXPECT_TRUE(same_bits(modified_capped, capped));
  want(scores, ScoreStage::masked);
  const std::vector<float> output = run(options, square);
  for (std::size_t row = 0; row < std::size_t{batch} * heads * queries; ++row) {
    const std::size_t head = row / queries % heads;
    const std::size_t position = row % queries + (keys - queries);
    const std::size_t kv = row / queries / heads * kv_heads + head / (heads / kv_heads);
    double sum = 0, first_value = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      const float score = scores[row * keys + j];
      if (j > position || mask[j] == minus_infinity) {
        ASSERT_EQ(score, minus_infinity) << row << " key " << j;
        continue;
      }
      const double before = capped[row * keys + j];
      const double expected = before * before + mask[j] - slopes[head] * static_cast<double>(position - j);
      ASSERT_NEAR(score, expected, 1e-4) << row << " key " << j;
      sum += std::exp(expected);
      first_value += std::exp(expected) * static_cast<double>(value_[(kv * keys + j) * dim]);
    }
    ASSERT_NEAR(output[row * dim], first_value / sum, 1e-4) << row;
  }
}

TEST_F(ModifierTest, RefusesWhatAttendRefuses) {
  const auto unchanged = [](float score, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) noexcept -> float {
    return score;
  };
  const AlignedMemory arena(plan_.bytes, 0x5A);
  std::vector<float> output(batch * heads * queries * dim, -1.0F);
  AttentionOutputs outputs;
  outputs.output = bhsd(output.data(), heads, queries, dim);
  AttentionOptions options;
  const auto call = [&](std::size_t bytes) {
    return attend_with_score_mod(plan_, arena.span().first(bytes), inputs_, options, outputs, unchanged);
  };
  EXPECT_EQ(call(plan_.bytes - 1), Status::arena_too_small);
  options.softcap = -1.0F;
  EXPECT_EQ(call(plan_.bytes), Status::bad_option);
  options.softcap = 0.0F;
  inputs_.query.data = nullptr;
  EXPECT_EQ(call(plan_.bytes), Status::null_pointer);
  for (const float value : output) ASSERT_EQ(value, -1.0F);
  for (const std::byte byte : arena.span()) ASSERT_EQ(byte, std::byte{0x5A});
}

TEST_F(ModifierTest, MinusInfinityForEveryScoreIsNoKey) {
  const auto odd_queries = [](float score, std::uint32_t, std::uint32_t, std::uint32_t query,
                              std::uint32_t) noexcept -> float { return query % 2 == 1 ? minus_infinity : score; };
  std::vector<float> closed(queries, 0.0F);
  for (std::uint32_t i = 1; i < queries; i += 2) closed[i] = minus_infinity;
  std::vector<float> mask(std::size_t{queries} * keys);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = closed[i / keys];
  AttentionOptions masked;
  masked.additive_mask = {{mask.data(), 0, 0, keys}, keys};
  const std::vector<float> output = run({}, odd_queries);
  expect_near(output, run(masked));
  for (std::uint32_t d = 0; d < dim; ++d) EXPECT_EQ(output[dim + d], 0.0F);
}

}  // namespace
}  // namespace heed::test
