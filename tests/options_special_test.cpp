// SPDX-License-Identifier: MIT
//
// Rows that see no key, and numbers at the ends of their ranges, under attend() with options.
#include <gtest/gtest.h>

#include <limits>

#include "effort.hpp"
#include "options_random.hpp"
#include "options_reference.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float greatest = std::numeric_limits<float>::max();

bool is_plus_zero(float x) {
  return x == 0.0F && !std::signbit(x);
}

/// A way to hide every key from every query.
struct Closing {
  const char* what;
  void (*close)(OptionsCase&);
};

constexpr Closing closings[] = {
    {"key lengths", [](OptionsCase& c) { c.base.lengths.assign(c.base.shape.batch, 0); }},
    {"query lengths", [](OptionsCase& c) { c.query_lengths.assign(c.base.shape.batch, 0); }},
    {"causal",
     [](OptionsCase& c) {
       c.base.causal = Causal::offset;
       c.offsets.assign(c.base.shape.batch, -1000);
       c.prefix_lengths.clear();
     }},
    {"the window left behind",
     [](OptionsCase& c) {
       c.base.causal = Causal::none;
       c.offsets.assign(c.base.shape.batch, 2000);
       c.window_left = 1000;
     }},
    {"the window ahead",
     [](OptionsCase& c) {
       c.base.causal = Causal::none;
       c.offsets.assign(c.base.shape.batch, -2000);
       c.window_right = 1000;
     }},
    {"bool mask",
     [](OptionsCase& c) {
       const std::uint32_t keys = c.base.shape.keys;
       c.bool_mask = {1, 1, 1, keys, std::vector<std::uint8_t>(keys, 0)};
     }},
    {"bool mask without keys",
     [](OptionsCase& c) {
       c.bool_mask = {1, 1, 1, 0, {}};
     }},
    {"mask",
     [](OptionsCase& c) {
       const std::uint32_t keys = c.base.shape.keys;
       c.mask = {1, 1, 1, keys, std::vector<float>(keys, -infinity)};
     }},
    {"mask of the lowest number",
     [](OptionsCase& c) {
       const std::uint32_t keys = c.base.shape.keys;
       c.mask = {1, 1, 1, keys, std::vector<float>(keys, -greatest)};
     }},
    {"mask without keys",
     [](OptionsCase& c) {
       c.mask = {1, 1, 1, 0, {}};
     }},
    {"two masks, each of which closes what the other leaves",
     [](OptionsCase& c) {
       const std::uint32_t keys = c.base.shape.keys;
       c.bool_mask = {1, 1, 1, keys, std::vector<std::uint8_t>(keys, 0)};
       c.mask = {1, 1, 1, keys, std::vector<float>(keys, -infinity)};
       for (std::uint32_t j = 0; j < keys; ++j) {
         if (j % 3 == 0) c.bool_mask.values[j] = 1;
         if (j % 3 != 0) c.mask.values[j] = 1.0F;
       }
     }},
};

/// Sinks of all kinds, and poison in half of the keys and values.
OptionsCase before_closing(Random& random, std::uint32_t number) {
  OptionsCase c = any_options(random, number % 40 == 0 ? Size::large : number % 10 == 0 ? Size::medium : Size::small);
  if (number % 3 == 0) add_option(random, c, Option::sinks);
  if (number % 3 == 1) add_option(random, c, Option::smooth_softmax);
  for (std::size_t e = 0; number % 2 == 0 && e < c.base.key.size(); ++e) c.base.key[e] = e % 2 == 0 ? nan : infinity;
  for (std::size_t e = 0; number % 4 < 2 && e < c.base.value.size(); ++e) c.base.value[e] = -infinity;
  return c;
}

TEST(OptionsSpecial, ARowThatSeesNoKeyIsExactlyZero) {
  const std::uint32_t step = case_divisor();
  for (const Closing& closing : closings) {
    for (std::uint32_t number = 0; number < 120; number += step) {
      Random random(51000 + number);
      OptionsCase c = before_closing(random, number);
      closing.close(c);
      OptionsManner manner = any_options_manner(random, c.base.shape);
      manner.base.stage = number % 2 == 0 ? ScoreStage::weights : ScoreStage::biased;
      const Result got = run(c, manner);
      ASSERT_EQ(got.status, Status::ok);
      for (const float x : got.output) ASSERT_TRUE(is_plus_zero(x)) << closing.what << ' ' << describe(c);
      for (const float x : got.log_sum_exp) ASSERT_EQ(x, -infinity) << closing.what << ' ' << describe(c);
      for (const float x : got.scores) {
        ASSERT_EQ(x, number % 2 == 0 ? 0.0F : -infinity) << closing.what << ' ' << describe(c);
      }
    }
  }
}

TEST(OptionsSpecial, RowsThatSeeNothingBesideRowsThatDo) {
  const std::uint32_t step = case_divisor();
  std::uint32_t empty_rows = 0;
  for (std::uint32_t number = 0; number < 1000; number += step) {
    Random random(52000 + number);
    const OptionsCase c = any_options(random, number % 10 == 0 ? Size::medium : Size::small);
    const AttentionShape& s = c.base.shape;
    const Result got = run(c, any_options_manner(random, s));
    for (std::size_t row = 0; row < got.log_sum_exp.size(); ++row) {
      const auto stream = static_cast<std::uint32_t>(row / s.queries);
      bool sees = false;
      for (std::uint32_t j = 0; j < s.keys && !sees; ++j) {
        sees = c.seen(stream / s.heads, stream % s.heads, static_cast<std::uint32_t>(row % s.queries), j);
      }
      if (sees) continue;
      ++empty_rows;
      ASSERT_EQ(got.log_sum_exp[row], -infinity) << describe(c);
      for (std::uint32_t d = 0; d < s.value_dim; ++d) {
        ASSERT_TRUE(is_plus_zero(got.output[row * s.value_dim + d])) << describe(c);
      }
    }
  }
  EXPECT_GT(empty_rows, 10000 / step);
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
  const Result got = run(c);
  EXPECT_EQ(got.status, Status::ok);
  return got.output[0];
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
  EXPECT_TRUE(std::isnan(output_of(c)));
  c.sinks.clear();
  c.smooth_softmax = true;
  c.base.key = {0.0F};
  EXPECT_EQ(output_of(c), 4.0F);
}

TEST(OptionsSpecial, ScoresThatAreInfinite) {
  OptionsCase c = of_scores({1e30F, -1e30F, 1.0F}, {1.0F, 2.0F, 4.0F});
  c.base.query = {1e30F};
  c.softcap = 2.0F;  // scores 2, -2 and 2
  OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::capped}};
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

  // Scores of -inf are seen all the same: all of them give NaN, but with a sink there is something to divide by.
  c = of_scores({1.0F, 2.0F, 3.0F}, {1.0F, 2.0F, 4.0F});
  c.pre_cap_bias = {1, 1, 1, 3, {-infinity, -infinity, 0.0F}};
  EXPECT_EQ(output_of(c), 4.0F);
  c.pre_cap_bias.values[2] = -infinity;
  EXPECT_TRUE(std::isnan(output_of(c)));
  c.sinks = {0.0F};
  EXPECT_EQ(output_of(c), 0.0F);
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
    const Result got = run(c);
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
