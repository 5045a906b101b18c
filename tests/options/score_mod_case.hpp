// SPDX-License-Identifier: MIT
//
// Runs of attend_with_score_mod(), and of attend() for comparison.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "options/attend_with_score_mod.hpp"
#include "support/cases.hpp"

namespace heed::test {

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
inline constexpr std::uint32_t batch = 2, heads = 4, kv_heads = 2, queries = 37, keys = 310, dim = 24;

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

  template <class Call>
  std::vector<float> output_of(const Call& call) {
    const AlignedMemory arena(plan_.bytes);
    std::vector<float> output(batch * heads * queries * dim, -1.0F);
    AttentionOutputs outputs;
    outputs.output = bhsd(output.data(), heads, queries, dim);
    outputs.scores = scores_;
    outputs.score_stage = stage_;
    EXPECT_EQ(call(arena.span(), outputs), Status::ok);
    return output;
  }

  template <class Modifier>
  std::vector<float> run(const AttentionOptions& options, const Modifier& modifier) {
    return output_of([&](auto arena, const AttentionOutputs& outputs) {
      return attend_with_score_mod(plan_, arena, inputs_, options, outputs, modifier);
    });
  }

  std::vector<float> run(const AttentionOptions& options) {
    return output_of(
        [&](auto arena, const AttentionOutputs& outputs) { return attend(plan_, arena, inputs_, options, outputs); });
  }

  /// The next runs write their scores of this stage to `scores`.
  void want(std::vector<float>& scores, ScoreStage stage) {
    scores.assign(batch * heads * queries * keys, -7.0F);
    scores_ = bhsd(scores.data(), heads, queries, keys);
    stage_ = stage;
  }

  Random random_{11};
  std::vector<float> query_ = random_.normals(batch * heads * queries * dim);
  std::vector<float> key_ = random_.normals(batch * kv_heads * keys * dim);
  std::vector<float> value_ = random_.normals(batch * kv_heads * keys * dim);
  AttentionPlan plan_;
  AttentionInputs inputs_;
  MutableTensor scores_{};
  ScoreStage stage_ = ScoreStage::weights;
};

}  // namespace heed::test
