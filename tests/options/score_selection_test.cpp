// SPDX-License-Identifier: MIT
//
// Scores of some heads and queries alone, and their mean over the heads.
#include <gtest/gtest.h>

#include <limits>

#include "heed/options.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t batch = 2, heads = 6, kv_heads = 3, queries = 35, keys = 290, dim = 9;

struct Scores {
  Status status = Status::ok;
  std::vector<float> output, scores;
};

class ScoreSelectionTest : public testing::Test {
 protected:
  ScoreSelectionTest() {
    EXPECT_EQ(make_plan(AttentionConfig{.heads = heads, .kv_heads = kv_heads, .head_dim = dim}, plan_), Status::ok);
    for (std::uint8_t& open : open_) open = random_.between(0, 2) != 0;
  }

  /// Scores [batch, heads, queries, keys] of the counts given.
  Scores run(ScoreStage stage, const ScoreSelection& selection, std::uint32_t head_count, std::uint32_t query_count) {
    const AlignedMemory arena(plan_.bytes);
    AttentionInputs inputs;
    inputs.batch = batch;
    inputs.query_count = queries;
    inputs.key_count = keys;
    inputs.query = bhsd<const float>(query_.data(), heads, queries, dim);
    inputs.key = bhsd<const float>(key_.data(), kv_heads, keys, dim);
    inputs.value = bhsd<const float>(value_.data(), kv_heads, keys, dim);
    inputs.causal = Causal::bottom_right;
    AttentionOptions options;
    options.softcap = 3.0F;
    options.bool_mask = {open_.data(), 0, 0, keys, keys, MaskFormat::bytes};
    options.score_selection = selection;
    Scores result;
    result.output.resize(batch * heads * queries * dim);
    result.scores.resize(batch * head_count * query_count * keys, -7.0F);
    AttentionOutputs outputs;
    outputs.output = bhsd(result.output.data(), heads, queries, dim);
    outputs.scores = bhsd(result.scores.data(), head_count, query_count, keys);
    outputs.score_stage = stage;
    result.status = attend(plan_, arena.span(), inputs, options, outputs);
    return result;
  }

  Random random_{21};
  std::vector<float> query_ = random_.normals(batch * heads * queries * dim);
  std::vector<float> key_ = random_.normals(batch * kv_heads * keys * dim);
  std::vector<float> value_ = random_.normals(batch * kv_heads * keys * dim);
  std::vector<std::uint8_t> open_ = std::vector<std::uint8_t>(queries * keys);
  AttentionPlan plan_;
};

TEST_F(ScoreSelectionTest, HoldsThePartOfAllScores) {
  for (const ScoreStage stage : {ScoreStage::raw, ScoreStage::softcapped, ScoreStage::masked, ScoreStage::weights}) {
    const Scores all = run(stage, {}, heads, queries);
    ASSERT_EQ(all.status, Status::ok);
    for (const ScoreSelection& wanted :
         {ScoreSelection{2, 3, 30, 4}, {5, 0, 0, 1}, {0, 1, 34, 0}, {1, 0, 7, 0}, {0, heads, 0, queries}}) {
      const std::uint32_t head_count = wanted.head_count != 0 ? wanted.head_count : heads - wanted.first_head;
      const std::uint32_t query_count = wanted.query_count != 0 ? wanted.query_count : queries - wanted.first_query;
      const Scores some = run(stage, wanted, head_count, query_count);
      ASSERT_EQ(some.status, Status::ok);
      EXPECT_EQ(some.output, all.output);
      const auto from = bhsd<const float>(all.scores.data(), heads, queries, keys);
      const auto to = bhsd<const float>(some.scores.data(), head_count, query_count, keys);
      for (std::uint32_t b = 0; b < batch; ++b)
        for (std::uint32_t h = 0; h < head_count; ++h)
          for (std::uint32_t i = 0; i < query_count; ++i)
            ASSERT_EQ(std::memcmp(to.row(b, h, i), from.row(b, wanted.first_head + h, wanted.first_query + i),
                                  keys * sizeof(float)),
                      0);
    }
  }
}

TEST_F(ScoreSelectionTest, RefusesWhatIsNotThere) {
  for (const ScoreSelection& wanted :
       {ScoreSelection{heads, 0, 0, 0}, {0, heads + 1, 0, 0}, {0, 0, queries, 0}, {0, 0, 1, queries}}) {
    const Scores refused = run(ScoreStage::weights, wanted, heads, queries);
    EXPECT_EQ(refused.status, Status::bad_length);
    EXPECT_EQ(refused.scores, std::vector<float>(refused.scores.size(), -7.0F));
  }
}

TEST_F(ScoreSelectionTest, MeanOverHeads) {
  Scores all = run(ScoreStage::weights, {}, heads, queries);
  ASSERT_EQ(all.status, Status::ok);
  std::vector<float> mean(batch * queries * keys);
  const auto scores = bhsd<const float>(all.scores.data(), heads, queries, keys);
  ASSERT_EQ(mean_over_heads(batch, heads, queries, keys, scores, dense(mean.data(), queries, keys)), Status::ok);
  for (std::uint32_t b = 0; b < batch; ++b)
    for (std::uint32_t i = 0; i < queries; ++i)
      for (std::uint32_t j = 0; j < keys; ++j) {
        double sum = 0;
        for (std::uint32_t h = 0; h < heads; ++h) sum += static_cast<double>(scores.row(b, h, i)[j]);
        ASSERT_NEAR(mean[(b * queries + i) * keys + j], sum / heads, 1e-6);
      }
  const MutableMatrix first_head{all.scores.data(), heads * queries * keys, keys};
  ASSERT_EQ(mean_over_heads(batch, heads, queries, keys, scores, first_head), Status::ok);
  EXPECT_EQ(std::memcmp(first_head.row(1, 0), &mean[queries * keys], queries * keys * sizeof(float)), 0);
  EXPECT_EQ(mean_over_heads(batch, 0, queries, keys, scores, first_head), Status::zero_dimension);
  EXPECT_EQ(mean_over_heads(batch, heads, queries, keys, {}, first_head), Status::null_pointer);
}

/// Sizes that are allowed come as far as the scores that are missing.
TEST(MeanOverHeads, EverySizeHasItsLimit) {
  for (std::uint32_t at = 0; at < 4; ++at) {
    const auto status = [at](std::uint32_t size) {
      std::uint32_t sizes[] = {1, 1, 1, 1};
      sizes[at] = size;
      float mean = -7.0F;
      const Status result = mean_over_heads(sizes[0], sizes[1], sizes[2], sizes[3], {}, {&mean, 0, 0});
      EXPECT_EQ(mean, -7.0F);
      return result;
    };
    const std::uint32_t most = at == 1 ? max_dimension : max_rows;
    EXPECT_EQ(status(0), Status::zero_dimension) << at;
    EXPECT_EQ(status(1), Status::null_pointer) << at;
    EXPECT_EQ(status(most), Status::null_pointer) << at;
    EXPECT_EQ(status(most + 1), Status::too_large) << at;
    EXPECT_EQ(status(UINT32_MAX), Status::too_large) << at;
  }
}

TEST(MeanOverHeads, RefusesWhatItCannotReadOrWrite) {
  constexpr std::ptrdiff_t far = std::numeric_limits<std::ptrdiff_t>::max();
  const std::vector<float> scores(2 * 3 * 4 * 5, 2.0F);
  std::vector<float> mean(2 * 4 * 5, -7.0F);
  const ConstTensor good = bhsd(scores.data(), 3, 4, 5);
  const MutableMatrix to = dense(mean.data(), 4, 5);
  const auto status = [](const ConstTensor& from, const MutableMatrix& into) {
    return mean_over_heads(2, 3, 4, 5, from, into);
  };
  EXPECT_EQ(status({nullptr, 60, 20, 5}, to), Status::null_pointer);
  EXPECT_EQ(status({scores.data(), far, 20, 5}, to), Status::bad_stride);
  EXPECT_EQ(status({scores.data(), 60, -far, 5}, to), Status::bad_stride);
  EXPECT_EQ(status({scores.data(), 60, 20, far}, to), Status::bad_stride);
  EXPECT_EQ(status({scores.data(), far / 8, far / 16, 5}, to), Status::bad_stride);
  EXPECT_EQ(status(good, {nullptr, 20, 5}), Status::null_pointer);
  EXPECT_EQ(status(good, {mean.data(), 4, 5}), Status::bad_stride);
  EXPECT_EQ(status(good, {mean.data(), 20, 4}), Status::bad_stride);
  EXPECT_EQ(status(good, {mean.data(), far, 5}), Status::bad_stride);
  EXPECT_EQ(status(good, {mean.data(), 20, far}), Status::bad_stride);
  EXPECT_EQ(mean, std::vector<float>(mean.size(), -7.0F));
  EXPECT_EQ(status(good, to), Status::ok);
  EXPECT_EQ(mean, std::vector<float>(mean.size(), 2.0F));
  // What is never stepped over is not looked at.
  EXPECT_EQ(mean_over_heads(1, 1, 1, 5, {scores.data(), far, far, far}, {mean.data(), far, far}), Status::ok);
}

}  // namespace
}  // namespace heed::test
