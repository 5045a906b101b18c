// SPDX-License-Identifier: MIT
//
// Numbers at the ends of their ranges, under attend() with options.
#include <gtest/gtest.h>

#include <limits>

#include "options/options_random.hpp"
#include "options/options_reference.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float greatest = std::numeric_limits<float>::max();

bool is_plus_zero(float x) {
  return x == 0.0F && !std::signbit(x);
}

/// One query of 1, and keys that are the scores.
OptionsCase of_scores(std::vector<float> scores, std::vector<float> values) {
  OptionsCase c;
  c.base.shape = {.keys = static_cast<std::uint32_t>(scores.size()), .head_dim = 1, .value_dim = 1};
  c.base.query = {1.0F};
  c.base.key = std::move(scores);
  c.base.value = std::move(values);
  return c;
}

float output_of(const OptionsCase& c) {
  return run(c).output[0];
}

TEST(OptionsSpecial, Sinks) {
  OptionsCase c = of_scores({3.0F}, {8.0F});
  c.sinks = {3.0F};
  EXPECT_EQ(output_of(c), 4.0F);  // as heavy as the only key
  EXPECT_NEAR(run(c).log_sum_exp[0], 3.0, 1e-6);
  c.sinks = {-infinity};
  EXPECT_EQ(output_of(c), 8.0F);
  c.sinks = {-greatest};
  EXPECT_EQ(output_of(c), 8.0F);
  c.sinks = {1000.0F};
  EXPECT_TRUE(is_plus_zero(output_of(c)));
  c.base.key = {2000.0F};
  EXPECT_EQ(output_of(c), 8.0F);
  c.base.key = {-2000.0F};
  c.sinks = {-2000.0F};
  EXPECT_EQ(output_of(c), 4.0F);
  c.sinks = {nan};
  EXPECT_EQ(try_run(c).status, Status::bad_option);
  c.sinks = {infinity};
  EXPECT_EQ(try_run(c).status, Status::bad_option);
  c.sinks.clear();
  c.smooth_softmax = true;
  c.base.key = {0.0F};
  EXPECT_EQ(output_of(c), 4.0F);
}

/// Between the number from which a mask closes and the one whose multiple of log2(e) is infinite.
TEST(OptionsSpecial, TheLowestNumbersOfAMaskClose) {
  OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::masked}};
  for (const float closing : {-2.359e38F, -2.36e38F, -greatest, -infinity}) {
    OptionsCase c = of_scores({1.0F, 2.0F, 3.0F}, {1.0F, nan, 4.0F});
    c.mask = {1, 1, 1, 3, {0.0F, closing, 0.0F}};
    const Result got = run(c, manner);
    EXPECT_EQ(got.scores[1], -infinity) << closing;
    EXPECT_TRUE(std::isfinite(got.output[0])) << closing;
    c.base.value[1] = 2.0F;
    c.mask.values = {closing, -2.3e38F, closing};  // open, alone, and at the end of what a score can be
    EXPECT_EQ(output_of(c), 2.0F) << closing;
  }
}

/// One float apart: the first multiple of log2(e) that is infinite, and the last one that is a number.
TEST(OptionsSpecial, WhereAMaskBeginsToClose) {
  constexpr float closed = -0x1.62E43p+127F;
  constexpr float open = -0x1.62E42Ep+127F;
  OptionsCase c = of_scores({0.0F, 0.0F, 0.0F, 0.0F}, {nan, 2.0F, nan, nan});
  c.mask = {1, 1, 1, 4, {closed, open, closed, closed}};
  const Result biased = run(c, {.base = {.want_scores = true, .stage = ScoreStage::masked}});
  EXPECT_NEAR(biased.scores[1], open, 1e32F);
  const Result weights = run(c, {.base = {.want_scores = true, .stage = ScoreStage::weights}});
  EXPECT_EQ(weights.output[0], 2.0F);
  EXPECT_EQ(weights.scores[1], 1.0F);
  for (const std::uint32_t key : {0U, 2U, 3U}) {
    EXPECT_EQ(biased.scores[key], -infinity) << key;
    EXPECT_EQ(weights.scores[key], 0.0F) << key;
  }
}

/// Closing numbers that are not infinite, at both ends of a row: nothing is scored there, and what the caller's memory
/// held must not show. Where a row closes altogether, no key is seen.
TEST(OptionsSpecial, TheLowestNumbersOfAMaskCloseTheEndsOfARow) {
  for (const ScoreStage stage : {ScoreStage::masked, ScoreStage::weights}) {
    const float hidden = stage == ScoreStage::masked ? -infinity : 0.0F;
    for (const float closing : {-2.359e38F, -greatest, -infinity}) {
      OptionsCase c = of_scores(std::vector<float>(40, 1.0F), std::vector<float>(40, nan));
      c.base.value[20] = 5.0F;
      c.mask = {1, 1, 1, 40, std::vector<float>(40, closing)};
      c.mask.values[20] = 0.0F;
      const OptionsManner manner{.base = {.want_scores = true, .stage = stage, .scores_fill = nan}};
      const Result got = run(c, manner);
      EXPECT_EQ(got.output[0], 5.0F) << closing;
      EXPECT_NEAR(got.scores[20], 1.0F, 1e-6F) << closing;
      c.mask.values[20] = closing;
      const Result none = run(c, manner);
      EXPECT_TRUE(is_plus_zero(none.output[0])) << closing;
      EXPECT_EQ(none.log_sum_exp[0], -infinity) << closing;
      for (std::uint32_t key = 0; key < 40; ++key) {
        if (key != 20) {
          EXPECT_EQ(got.scores[key], hidden) << closing << " key " << key;
        }
        EXPECT_EQ(none.scores[key], hidden) << closing << " key " << key;
      }
    }
  }
}

/// A key so far from its query that the distance is no 32-bit integer or is just one counts as 2^30 away.
TEST(OptionsSpecial, TheGreatestDistancesOfAlibi) {
  OptionsCase c = of_scores({0.0F}, {1.0F});
  c.slopes = {0x1p-30F};
  const OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::masked}};
  constexpr std::int32_t limit = 1 << 30;
  for (const std::int32_t offset : {limit / 4, limit / 2, limit, limit + limit / 2, INT32_MAX}) {
    const double expected = -std::min(1.0, static_cast<double>(offset) / limit);
    c.base.offset = offset;
    EXPECT_NEAR(run(c, manner).scores[0], expected, 1e-6) << offset;
    c.base.offset = -offset;
    EXPECT_NEAR(run(c, manner).scores[0], expected, 1e-6) << -offset;
  }
  c.base.offset = INT32_MIN;
  EXPECT_NEAR(run(c, manner).scores[0], -1.0, 1e-6);
  // The key on the query's side is the nearer one there, too.
  c.base.shape.keys = 256;
  c.base.key.assign(256, 0.0F);
  c.base.value.assign(256, 1.0F);
  c.slopes = {1.0F};
  for (const std::int32_t offset : {limit, INT32_MAX, INT32_MIN}) {
    c.base.offset = offset;
    const Result got = run(c, manner);
    EXPECT_EQ(got.scores[255] > got.scores[0], offset > 0) << offset;
    EXPECT_NE(got.scores[255], got.scores[0]) << offset;
  }
  c.slopes = {0x1p-30F};
  // The second query is at 2^31, and the keys of the second block are farther from it than INT32_MIN says.
  c.base.shape.queries = 2;
  c.base.shape.keys = 300;
  c.base.query = {1.0F, 1.0F};
  c.base.key.assign(300, 0.0F);
  c.base.value.assign(300, 1.0F);
  for (const std::int32_t offset : {INT32_MAX, INT32_MIN}) {
    c.base.offset = offset;
    const Result got = run(c, manner);
    for (const std::uint32_t at : {0U, 255U, 256U, 299U, 300U, 599U}) EXPECT_NEAR(got.scores[at], -1.0, 1e-6) << at;
  }
}

TEST(OptionsSpecial, ScoresThatAreInfinite) {
  OptionsCase c = of_scores({1e30F, -1e30F, 1.0F}, {1.0F, 2.0F, 4.0F});
  c.base.query = {1e30F};
  c.softcap = 2.0F;  // scores 2, -2 and 2
  OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::softcapped}};
  const Result capped = run(c, manner);
  EXPECT_NEAR(capped.scores[0], 2.0, 1e-6);
  EXPECT_NEAR(capped.scores[1], -2.0, 1e-6);
  EXPECT_NEAR(capped.output[0], (5.0 + 2.0 * std::exp(-4.0)) / (2.0 + std::exp(-4.0)), 1e-6);

  c = of_scores({1.0F, 2.0F, 3.0F}, {1.0F, 2.0F, 4.0F});
  c.mask = {1, 1, 1, 3, {-infinity, 0.0F, infinity}};
  EXPECT_TRUE(std::isnan(output_of(c)));
  c.mask.values = {-infinity, nan, 0.0F};
  EXPECT_TRUE(std::isnan(output_of(c)));
  c.mask.values = {nan, nan, 0.0F};
  c.bool_mask = {1, 1, 1, 3, {0, 0, 1}};
  EXPECT_EQ(output_of(c), 4.0F);  // what one mask closes, NaN in another does not open

  // A score of -inf weighs 0, and where all are -inf it is as if the query saw no key.
  c = of_scores({1.0F, 2.0F, 3.0F}, {1.0F, 2.0F, 4.0F});
  c.pre_softcap_bias = {1, 1, 1, 3, {-infinity, -infinity, 0.0F}};
  EXPECT_EQ(output_of(c), 4.0F);
  c.pre_softcap_bias.values[2] = -infinity;
  EXPECT_TRUE(is_plus_zero(output_of(c)));
  EXPECT_EQ(run(c).log_sum_exp[0], -infinity);
  c.sinks = {0.0F};
  EXPECT_TRUE(is_plus_zero(output_of(c)));
}

TEST(OptionsSpecial, WeightsOfHiddenKeysInRowsOfNan) {
  const OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::weights}};
  OptionsCase c = of_scores({nan, 1.0F}, {1.0F, 2.0F});
  c.bool_mask = {1, 1, 1, 2, {1, 0}};
  EXPECT_EQ(run(c, manner).scores[1], 0.0F);
  c.bool_mask = {};
  c.window_right = 0;
  EXPECT_EQ(run(c, manner).scores[1], 0.0F);
  c.base.key[0] = -infinity;  // all that is seen
  EXPECT_EQ(run(c, manner).scores[1], 0.0F);
  c.base.key[0] = infinity;
  EXPECT_EQ(run(c, manner).scores[1], 0.0F);
}

/// In the middle of the range every softcap works; at its ends it works or is refused, and never gives a wrong number.
TEST(OptionsSpecial, SoftcapsOfAnySize) {
  constexpr float caps[] = {1e-45F, 1e-39F, 1e-37F, 1e-30F, 1e-3F, 1e10F, 1e30F, 1e37F, 1e38F, greatest};
  Random random(53);
  OptionsCase c;
  c.base = random_case(random, {.heads = 2, .kv_heads = 1, .queries = 20, .keys = 20, .head_dim = 4, .value_dim = 3});
  for (std::uint32_t d = 0; d < 4; ++d) c.base.query[d] = 0.0F;  // scores of exactly 0
  for (const float cap : caps) {
    c.softcap = cap;
    const Result got = try_run(c);
    if (got.status == Status::bad_option && (cap < 1e-30F || cap > 1e30F)) continue;
    ASSERT_EQ(got.status, Status::ok) << "softcap " << cap;
    const OptionsExpected expected = reference_attention(c);
    std::size_t wrong = 0;
    for (std::size_t e = 0; e < expected.output.size(); ++e) {
      if (!(std::abs(got.output[e] - expected.output[e]) < 1e-5)) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << "softcap " << cap;
  }
}

}  // namespace
}  // namespace heed::test
