// SPDX-License-Identifier: MIT
//
// Scores of -inf: they weigh 0, and a row that has no other is like one that sees no key, however it came to that.
#include <gtest/gtest.h>

#include <limits>

#include "cache/kv_cache_run.hpp"
#include "layer/layer_options_case.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A way to give every visible score -inf.
struct Way {
  const char* what;
  void (*take)(OptionsCase&);
};

constexpr Way ways[] = {
    {"mask",
     [](OptionsCase& c) {
       c.mask = {1, 1, 1, c.base.shape.keys, std::vector(c.base.shape.keys, -infinity)};
     }},
    {"relative bias",
     [](OptionsCase& c) {
       c.left = 2;
       c.right = 1;
       c.relative_heads = 1;
       c.relative.assign(4, -infinity);
     }},
    {"pre-cap bias",
     [](OptionsCase& c) {
       c.pre_softcap_bias = {1, 1, 1, c.base.shape.keys, std::vector(c.base.shape.keys, -infinity)};
     }},
    {"infinite slopes",
     [](OptionsCase& c) {
       c.base.causal = Causal::none;
       c.base.offset = -1000;
       c.slopes.assign(c.base.shape.heads, infinity);
     }},
    {"a slope each of whose products is infinite",
     [](OptionsCase& c) {
       c.base.causal = Causal::none;
       c.base.offset = -100000;
       c.slopes.assign(c.base.shape.heads, 2e38F);
     }},
    {"two biases, each of which leaves what the other does not",
     [](OptionsCase& c) {
       const std::uint32_t keys = c.base.shape.keys;
       c.mask = {1, 1, 1, keys, std::vector<float>(keys, 0.0F)};
       c.pre_softcap_bias = {1, 1, 1, keys, std::vector<float>(keys, 0.0F)};
       for (std::uint32_t j = 0; j < keys; ++j) (j % 3 == 0 ? c.mask : c.pre_softcap_bias).values[j] = -infinity;
     }},
};

constexpr Way product = {"product", [](OptionsCase& c) {
                           const std::uint32_t dim = c.base.shape.head_dim;
                           for (std::size_t e = 0; e < c.base.key.size(); ++e) {
                             c.base.key[e] = e % dim == 0 ? -infinity : 0.0F;
                           }
                           for (float& x : c.base.query) x = std::abs(x) + 1.0F;
                         }};

/// Every query sees keys, and sinks are of all kinds.
OptionsCase case_number(std::uint32_t number) {
  Random random(91000 + number);
  OptionsCase c = plain_case(random, number % 20 == 0 ? Size::large : number % 5 == 0 ? Size::medium : Size::small);
  c.base.scale = 0.0F;
  if (number % 3 == 0) add_option(random, c, Option::sinks);
  if (number % 3 == 1) add_option(random, c, Option::smooth_softmax);
  return c;
}

void expect_nothing_seen(const Result& got, ScoreStage stage) {
  const auto is_plus_zero = [](float x) { return x == 0.0F && !std::signbit(x); };
  ASSERT_EQ(got.status, Status::ok);
  for (const float x : got.output) ASSERT_TRUE(is_plus_zero(x)) << x;
  for (const float x : got.log_sum_exp) ASSERT_EQ(x, -infinity);
  for (const float x : got.scores) ASSERT_EQ(x, stage == ScoreStage::weights ? 0.0F : -infinity);
}

TEST(InfiniteScores, ARowOfThemIsLikeOneThatSeesNoKey) {
  const std::uint32_t step = case_divisor();
  std::vector<Way> all(std::begin(ways), std::end(ways));
  all.push_back(product);
  for (const Way& way : all) {
    for (std::uint32_t number = 0; number < 100; number += step) {
      OptionsCase c = case_number(number);
      for (std::size_t e = 0; number % 2 == 0 && e < c.base.value.size(); ++e)
        c.base.value[e] = e % 2 == 0 ? nan : infinity;
      way.take(c);
      Random random(number);
      OptionsManner manner = any_options_manner(random, c.base.shape);
      manner.base.stage = number % 2 == 0 ? ScoreStage::weights : ScoreStage::masked;
      SCOPED_TRACE(std::string(way.what) + ": " + describe(c));
      ASSERT_NO_FATAL_FAILURE(expect_nothing_seen(run(c, manner), manner.base.stage));
    }
  }
}

TEST(InfiniteScores, WithoutOptions) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 60; number += step) {
    OptionsCase c = case_number(number);
    product.take(c);
    for (const bool from_cache : {false, true}) {
      const Manner manner{.from_cache = from_cache, .want_scores = true};
      ASSERT_NO_FATAL_FAILURE(expect_nothing_seen(run(c.base, manner), manner.stage)) << describe(c);
    }
  }
}

TEST(InfiniteScores, OverStoredCaches) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 120; number += step) {
    OptionsCase c = case_number(number);
    Random random(number);
    ways[random.between(0, std::size(ways) - 1)].take(c);
    const StoredRun stored(c, storage_number(number), number % 4 == 0 ? 16 : 0);
    if (!stored.accepted({})) continue;
    ASSERT_NO_FATAL_FAILURE(expect_nothing_seen(stored.run(), ScoreStage::weights)) << describe(c);
  }
}

TEST(InfiniteScores, InALayer) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 40; number += step) {
    Random random(92000 + number);
    LayerOptionsCase c = plain_layer_case(random, static_cast<LayerMethod>(random.between(0, 2)));
    ways[random.between(0, 2)].take(c.options);
    const LayerWeights weights(random, c.config, true);
    const LayerResult got = run(c, weights, ScoreStage::weights, {});
    ASSERT_NO_FATAL_FAILURE(
        expect_nothing_seen({got.status, got.heads, got.scores, got.log_sum_exp}, ScoreStage::weights));
    for (std::size_t e = 0; e < got.y.size(); ++e) {
      ASSERT_EQ(got.y[e], weights.output_bias[e % weights.output_bias.size()]);
    }
  }
}

/// A bias and a mask of the same pattern, over single keys, whole blocks and whole rows: the same bits.
TEST(InfiniteScores, ABiasOfMinusInfinityIsAClosedMask) {
  std::uint32_t empty_rows = 0;
  std::uint32_t other_rows = 0;
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 300; number += step) {
    OptionsCase biased = case_number(number);
    Random random(93000 + number);
    biased.mask = any_mask(random, biased.base.shape);
    biased.mask.keys = biased.base.shape.keys;
    const Broadcast<float>& m = biased.mask;
    biased.mask.values.resize(std::size_t{m.batch} * m.heads * m.queries * m.keys, -infinity);
    for (float& x : biased.mask.values) x = x < 0.0F ? -infinity : 0.0F;
    OptionsCase masked = biased;
    biased.pre_softcap_bias = biased.mask;
    biased.mask = {};
    OptionsManner manner = any_options_manner(random, biased.base.shape);
    manner.base.stage = number % 2 == 0 ? ScoreStage::weights : ScoreStage::masked;
    const Result got = run(biased, manner);
    const Result expected = run(masked, manner);
    ASSERT_EQ(got.status, Status::ok);
    ASSERT_TRUE(same_bits(got.output, expected.output)) << describe(masked);
    ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp)) << describe(masked);
    ASSERT_TRUE(same_bits(got.scores, expected.scores)) << describe(masked);
    for (const float x : got.log_sum_exp) ++(x == -infinity ? empty_rows : other_rows);
  }
  EXPECT_GT(empty_rows, 1000 / step);
  EXPECT_GT(other_rows, 1000 / step);
}

TEST(InfiniteScores, NanBesideThemStays) {
  for (const std::uint32_t keys : {1U, 17U, 600U}) {
    for (const std::uint32_t queries : {1U, 20U}) {
      Random random(keys + queries);
      OptionsCase c;
      c.base = random_case(random, {1, 1, 1, queries, keys, 4, 4});
      c.pre_softcap_bias = {1, 1, 1, keys, std::vector(keys, -infinity)};
      c.pre_softcap_bias.values[keys / 2] = nan;
      const Result got = run(c);
      for (const float x : got.output) ASSERT_TRUE(std::isnan(x));
      for (const float x : got.log_sum_exp) ASSERT_TRUE(std::isnan(x));
    }
  }
}

}  // namespace
}  // namespace heed::test
