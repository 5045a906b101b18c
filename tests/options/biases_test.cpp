// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heed/options.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

using Directions = RelativeBucketsConfig::Directions;

// The authors' code, in double.
std::vector<double> reference_slopes(std::uint32_t heads) {
  const double exponent = std::log2(static_cast<double>(heads));
  std::vector<double> slopes;
  if (exponent == std::floor(exponent)) {
    for (std::uint32_t h = 1; h <= heads; ++h) slopes.push_back(std::pow(2.0, -8.0 * h / heads));
    return slopes;
  }
  const auto below = static_cast<std::uint32_t>(std::pow(2.0, std::floor(exponent)));
  slopes = reference_slopes(below);
  const std::vector<double> above = reference_slopes(2 * below);
  for (std::size_t h = 0; slopes.size() < heads; h += 2) slopes.push_back(above[h]);
  return slopes;
}

TEST(AlibiSlopes, AreTheAuthors) {
  for (std::uint32_t heads = 1; heads <= 300; ++heads) {
    std::vector<float> slopes(heads + 1, -7.0F);
    ASSERT_EQ(alibi_slopes(heads, slopes), Status::ok);
    const std::vector<double> expected = reference_slopes(heads);
    for (std::uint32_t h = 0; h < heads; ++h) {
      EXPECT_EQ(slopes[h], static_cast<float>(expected[h])) << heads << " " << h;
    }
    EXPECT_EQ(slopes[heads], -7.0F);
  }
}

TEST(AlibiSlopes, OfTheMostHeads) {
  std::vector<float> slopes(65536);
  ASSERT_EQ(alibi_slopes(65536, slopes), Status::ok);
  for (std::uint32_t h = 0; h < 65536; ++h) {
    ASSERT_EQ(slopes[h], static_cast<float>(std::pow(2.0, -8.0 * (h + 1) / 65536.0))) << h;
  }
}

constexpr std::array<float, 12> slopes_of_twelve = [] {
  std::array<float, 12> slopes{};
  if (alibi_slopes(12, slopes) != Status::ok) slopes[0] = -1.0F;
  return slopes;
}();
static_assert(slopes_of_twelve[0] == 0.5F && slopes_of_twelve[7] == 0.00390625F);
static_assert(slopes_of_twelve[8] == 0.707106781F && slopes_of_twelve[11] == 0.0883883476F);

TEST(AlibiSlopes, AreRefused) {
  std::vector<float> slopes(8, 0.5F);
  Witness witness;
  witness.watch("slopes", slopes);
  witness.expect(Status::zero_dimension, "no heads", [&] { return alibi_slopes(0, slopes); });
  witness.expect(Status::too_large, "65537 heads", [&] { return alibi_slopes(65537, slopes); });
  witness.expect(Status::null_pointer, "no memory", [&] { return alibi_slopes(8, {}); });
  witness.expect(Status::arena_too_small, "9 heads", [&] { return alibi_slopes(9, slopes); });
}

RelativeBucketsPlan plan_of(const RelativeBucketsConfig& config) {
  RelativeBucketsPlan plan;
  EXPECT_EQ(make_plan(config, plan), Status::ok) << config.num_buckets << " " << config.max_distance;
  return plan;
}

// As Hugging Face's transformers have it, in the given precision. In double only a logarithm that is a whole number can
// come out on the wrong side; the nudge brings it back.
template <class Real>
std::uint32_t reference_bucket(const RelativeBucketsConfig& config, std::int64_t relative_position, Real nudge) {
  std::int64_t buckets = config.num_buckets;
  std::int64_t result = 0;
  std::int64_t distance = std::max<std::int64_t>(-relative_position, 0);
  if (config.directions == Directions::bidirectional) {
    buckets /= 2;
    if (relative_position > 0) result += buckets;
    distance = std::abs(relative_position);
  }
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return static_cast<std::uint32_t>(result + distance);
  const Real whole =
      std::log(static_cast<Real>(distance) / static_cast<Real>(exact)) /
      static_cast<Real>(std::log(static_cast<double>(config.max_distance) / static_cast<double>(exact))) *
      static_cast<Real>(buckets - exact);
  const auto grown = exact + static_cast<std::int64_t>(whole + nudge);
  return static_cast<std::uint32_t>(result + std::min(grown, buckets - 1));
}

TEST(RelativeBuckets, AreThoseOfLogarithms) {
  for (const std::uint32_t buckets : {4U, 5U, 7U, 16U, 17U, 32U, 33U, 64U, 72U, 128U}) {
    for (const std::uint32_t max_distance : {33U, 50U, 65U, 81U, 128U, 500U, 512U, 686U, 4096U}) {
      for (const Directions directions : {Directions::bidirectional, Directions::causal}) {
        const RelativeBucketsConfig config{buckets, max_distance, directions};
        if (directions == Directions::causal && max_distance <= buckets / 2) continue;
        const RelativeBucketsPlan plan = plan_of(config);
        const auto last = static_cast<std::int32_t>(max_distance + 40);
        for (std::int32_t position = -last; position <= last; ++position) {
          ASSERT_EQ(relative_bucket(plan, position), reference_bucket(config, position, 1e-11))
              << buckets << " " << max_distance << " " << position;
        }
      }
    }
  }
}

TEST(RelativeBuckets, OfT5AreThoseOfLogarithmsInFloat) {
  for (const Directions directions : {Directions::bidirectional, Directions::causal}) {
    const RelativeBucketsConfig config{.directions = directions};
    const RelativeBucketsConfig standard{32, 128, directions};
    const RelativeBucketsPlan plan = plan_of(config);
    for (std::int32_t position = -3000; position <= 3000; ++position) {
      EXPECT_EQ(relative_bucket(plan, position), reference_bucket(standard, position, 0.0F)) << position;
    }
  }
}

// 36 buckets per direction, 18 of them exact: (30 / 18)^2 = 50 / 18, so that distance 30 is just half way.
static_assert(relative_bucket(plan(RelativeBucketsConfig{.num_buckets = 72, .max_distance = 50}), -30) == 27);
static_assert(relative_bucket(plan(RelativeBucketsConfig{.num_buckets = 72, .max_distance = 50}), -29) < 27);

TEST(RelativeBuckets, HoldTheFarthestPositions) {
  for (const std::uint32_t buckets : {2U, 3U, 127U, 128U}) {
    const RelativeBucketsPlan plan = plan_of({buckets, (1U << 30) - 1, Directions::causal});
    EXPECT_EQ(relative_bucket(plan, INT32_MIN), buckets - 1);
    EXPECT_EQ(relative_bucket(plan, INT32_MAX), 0U);
    EXPECT_EQ(relative_bucket(plan, 0), 0U);
    EXPECT_EQ(relative_bucket(plan, -static_cast<std::int32_t>(plan.left)), buckets - 1);
    EXPECT_EQ(relative_bucket(plan, 1 - static_cast<std::int32_t>(plan.left)), buckets - 2);
  }
  const RelativeBucketsPlan both = plan_of({256, 1000, Directions::bidirectional});
  EXPECT_EQ(relative_bucket(both, INT32_MIN), 127U);
  EXPECT_EQ(relative_bucket(both, INT32_MAX), 255U);
}

TEST(RelativeBuckets, ExpandAnEmbeddingIntoTheTableOfABias) {
  for (const Directions directions : {Directions::bidirectional, Directions::causal}) {
    constexpr std::uint32_t heads = 3;
    const RelativeBucketsPlan plan = plan_of({.directions = directions});
    std::vector<float> embedding(32 * heads);
    for (std::size_t i = 0; i < embedding.size(); ++i) embedding[i] = static_cast<float>(i);
    std::vector<float> values(heads * plan.columns + 1, -7.0F);
    RelativeBias bias;
    ASSERT_EQ(expand_relative_bias(plan, embedding, heads, values, bias), Status::ok);
    EXPECT_EQ(values.back(), -7.0F);
    EXPECT_EQ(bias.values, values.data());
    for (std::int32_t position = -400; position <= 400; ++position) {
      const auto left = static_cast<std::int32_t>(bias.left);
      const std::int32_t column = std::clamp(position, -left, static_cast<std::int32_t>(bias.right)) + left;
      const std::uint32_t bucket = reference_bucket({32, 128, directions}, position, 1e-11);
      for (std::uint32_t h = 0; h < heads; ++h) {
        EXPECT_EQ(bias.values[h * bias.head_stride + column], static_cast<float>(bucket * heads + h)) << position;
      }
    }
  }
}

TEST(RelativeBuckets, AreRefused) {
  RelativeBucketsPlan plan = plan_of({});
  const std::vector<float> embedding(32 * 2, 0.5F);
  std::vector<float> values(2 * plan.columns, 0.25F);
  RelativeBias bias;
  Witness witness;
  witness.watch_object("plan", plan);
  witness.watch("values", values);
  witness.watch_object("bias", bias);
  const auto refuse = [&](Status expected, const char* what, const RelativeBucketsConfig& config) {
    witness.expect(expected, what, [&] { return make_plan(config, plan); });
  };
  refuse(Status::bad_option, "one bucket per direction", {.num_buckets = 3});
  refuse(Status::bad_option, "129 buckets per direction", {.num_buckets = 258, .max_distance = 1000});
  refuse(Status::bad_option, "max_distance 8 of 8 exact buckets", {.max_distance = 8});
  refuse(Status::bad_option, "direction 2", {.directions = Directions{2}});
  refuse(Status::too_large, "max_distance 2^30", {.max_distance = 1U << 30});
  const auto expand = [&](Status expected, const char* what, const RelativeBucketsPlan& with, std::uint32_t heads,
                          std::span<const float> from, std::span<float> to) {
    witness.expect(expected, what, [&] { return expand_relative_bias(with, from, heads, to, bias); });
  };
  expand(Status::not_initialised, "no plan", {}, 2, embedding, values);
  expand(Status::zero_dimension, "no heads", plan, 0, embedding, values);
  expand(Status::too_large, "65537 heads", plan, 65537, embedding, values);
  expand(Status::null_pointer, "no embedding", plan, 2, {}, values);
  expand(Status::null_pointer, "no values", plan, 2, embedding, {});
  expand(Status::bad_length, "an embedding of one head", plan, 1, embedding, values);
  expand(Status::arena_too_small, "a float less", plan, 2, embedding, std::span(values).first(values.size() - 1));
  EXPECT_EQ(expand_relative_bias(plan, embedding, 2, values, bias), Status::ok);
}

}  // namespace
}  // namespace heed::test
