// SPDX-License-Identifier: MIT
//
// The ends of the ranges that declarations state, on both sides where both are allowed.
#include <gtest/gtest.h>

#include <limits>

#include "options/options_run.hpp"

namespace heed::test {
namespace {

constexpr float greatest = std::numeric_limits<float>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();

Result run_with_scale(float scale, float query, ScoreStage stage = ScoreStage::raw) {
  AttentionCase c;
  c.shape = {.keys = 2};
  c.query = {query};
  c.key = {1.0F, 3.0F};
  c.value = {1.0F, 2.0F};
  c.scale = scale;
  return run_by(c, {.want_scores = true, .stage = stage},
                [](const auto& plan, auto arena, const auto& in, const auto& out, const auto& executor) {
                  return attend(plan, arena, in, out, executor);
                });
}

TEST(Ranges, ScalesUpToTheGreatestMultipleOfLog2e) {
  EXPECT_EQ(run_with_scale(2.3586e38F, 0.0F).output[0], 1.5F);
  EXPECT_EQ(run_with_scale(-2.3586e38F, 0.0F).output[0], 1.5F);
  for (const float scale : {2.3587e38F, 3e38F, -3e38F, greatest}) {
    EXPECT_EQ(run_with_scale(scale, 0.0F).status, Status::bad_scale) << scale;
  }
}

TEST(Ranges, ScalesDownToTheLeastNormalNumber) {
  for (const float sign : {1.0F, -1.0F}) {
    const Result least = run_with_scale(sign * 0x1p-126F, 0x1p126F);
    ASSERT_EQ(least.status, Status::ok);
    EXPECT_NEAR(least.scores[0], sign, 1e-6);
    EXPECT_NEAR(least.scores[1], 3.0F * sign, 1e-6);
    for (const float scale : {0x1.62e42cp-127F, 0x1p-140F, 0x1p-149F}) {
      EXPECT_EQ(run_with_scale(sign * scale, 0x1p126F).status, Status::bad_scale) << scale;
    }
    EXPECT_EQ(run_with_scale(sign * 0.0F, 2.0F).scores[1], 6.0F);  // 1 / sqrt(head_dim)
  }
}

/// The product with the scale comes first, and overflows though the score would not.
TEST(Ranges, AScaledQueryBeyondTheRangeCountsAsInfinite) {
  AttentionCase c;
  c.shape = {.keys = 2};
  c.key = {-1e-20F, -2e-20F};
  c.value = {1.0F, 2.0F};
  c.scale = 1e20F;
  c.query = {2.3e18F};
  EXPECT_NEAR(run(c, {.want_scores = true, .stage = ScoreStage::raw}).scores[0], -2.3e18, 1e12);
  c.query = {2.4e18F};
  EXPECT_EQ(run(c, {.want_scores = true, .stage = ScoreStage::raw}).scores[0], -infinity);
  EXPECT_EQ(run(c).output[0], 0.0F);
}

/// The score of a key that differs from 0 by its bias alone, for a query at `position`.
float counted(std::int32_t position, std::uint32_t key) {
  OptionsCase c;
  c.base.shape = {.keys = 300};
  c.base.query = {0.0F};
  c.base.key.assign(300, 0.0F);
  c.base.value.assign(300, 0.0F);
  c.base.offset = position;
  c.slopes = {-0x1p-20F};
  return run(c, {.base = {.want_scores = true, .stage = ScoreStage::masked}}).scores[key];
}

/// What counted() gives for a distance that is a float.
float multiple_of(float distance) {
  return distance * (0x1p-20F * 1.44269504F) * 0.693147181F;
}

TEST(Ranges, DistancesOfAlibi) {
  constexpr std::int32_t exact = (1 << 24) - 256;
  for (const std::int32_t distance : {1, 1000, 65537, exact - 1, exact}) {
    for (const std::uint32_t key : {0U, 1U, 255U, 256U, 299U}) {
      const auto at = static_cast<std::int32_t>(key);
      EXPECT_EQ(counted(at - distance, key), multiple_of(static_cast<float>(distance))) << distance << ' ' << key;
      EXPECT_EQ(counted(at + distance, key), multiple_of(static_cast<float>(distance))) << distance << ' ' << key;
    }
  }
  EXPECT_EQ(counted((1 << 24) + 1, 0), multiple_of(0x1p24F));  // rounded to an even number
  constexpr std::int32_t clamped = 1 << 30;
  for (const std::int32_t distance : {(1 << 24) + 1, 100000001, clamped - 256, clamped}) {
    const double exact_score = distance * 0x1p-20;
    EXPECT_NEAR(counted(-distance, 0), exact_score, exact_score * 0x1p-21) << distance;
    EXPECT_NEAR(counted(distance, 0), exact_score, exact_score * 0x1p-21) << distance;
  }
  EXPECT_EQ(counted(std::numeric_limits<std::int32_t>::max(), 0), counted(clamped, 0));
  EXPECT_EQ(counted(std::numeric_limits<std::int32_t>::min(), 0), counted(-clamped, 0));
}

float mean(std::vector<float> scores) {
  const auto heads = static_cast<std::uint32_t>(scores.size());
  float result = -7.0F;
  EXPECT_EQ(mean_over_heads(1, heads, 1, 1, bhsd<const float>(scores.data(), heads, 1, 1), dense(&result, 1, 1)),
            Status::ok);
  return result;
}

TEST(Ranges, MeansOfGreatScores) {
  EXPECT_EQ(mean({1e38F, 1e38F, 1e38F}), 1e38F);
  EXPECT_EQ(mean({1e38F, 1e38F, 1e38F, 1e38F}), 1e38F);
  EXPECT_EQ(mean({greatest, greatest}), greatest);
  EXPECT_EQ(mean({-greatest, -greatest, -greatest, -greatest}), -greatest);
  EXPECT_EQ(mean({greatest, greatest, -greatest, -greatest}), 0.0F);
  EXPECT_NEAR(mean(std::vector<float>(65536, 3.3e38F)), 3.3e38F, 3.3e36F);
  EXPECT_EQ(mean({3e38F, 3e38F, -infinity}), -infinity);
  EXPECT_EQ(mean({infinity, 1.0F}), infinity);
  EXPECT_TRUE(std::isnan(mean({infinity, -infinity})));
}

}  // namespace
}  // namespace heed::test
