// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cfloat>
#include <string>

#include "heed/positions.hpp"
#include "positions/rotary_reference.hpp"
#include "support/cases.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

// A long double of 53 bits resolves the angles of positions below 2^20 to 2^-33, one of 64 bits those of all positions.
constexpr bool precise_reference = LDBL_MANT_DIG >= 64;
const long double unit = std::ldexp(1.0L, -24);

constexpr detail::Exponent carried = detail::sum({1, UINT64_MAX, UINT32_MAX}, {1, 0, 1});
static_assert(carried.integer == 3 && carried.fraction == 0 && carried.tail == 0);
static_assert(detail::wide(0x1p-41F).fraction == 1U << 23 && detail::wide(3.5F).whole == 3);
static_assert(detail::wide(4294967040.0F).whole == 4294967040U && detail::wide(0x1p-20F).fraction == 1ULL << 44);
static_assert(detail::quotient({0, 10}, {5, 0}) == 2 && detail::quotient({1, 0}, {3, 0}) == UINT64_MAX / 3);

RotaryPlan plan_of(const RotaryConfig& config) {
  RotaryPlan plan;
  EXPECT_EQ(make_plan(config, plan), Status::ok);
  return plan;
}

const std::vector<RotaryConfig>& models() {
  static const std::vector<RotaryConfig> configs = {
      {.head_dim = 64},
      {.head_dim = 2, .base = 2.0F},
      {.head_dim = 6, .base = 1.5F},
      {.head_dim = 80, .rotary_dim = 32, .layout = RotaryLayout::interleaved},
      {.head_dim = 256, .rotary_dim = 64, .base = 1e6F, .layout = RotaryLayout::interleaved},
      {.head_dim = 128, .base = 500000.0F},
      {.head_dim = 128, .scaling = RotaryScaling::linear, .scaling_factor = 2.5F},
      {.head_dim = 100, .scaling = RotaryScaling::linear, .scaling_factor = 1.0F},
      {.head_dim = 100, .scaling = RotaryScaling::linear, .scaling_factor = 4e9F},
      {.head_dim = 128, .scaling = RotaryScaling::ntk, .scaling_factor = 8.0F},
      {.head_dim = 2 * 33, .base = 3e38F, .scaling = RotaryScaling::ntk, .scaling_factor = 1e9F},
      {.head_dim = 128, .scaling = RotaryScaling::yarn, .scaling_factor = 16.0F, .original_max_position = 4096},
      {.head_dim = 64,
       .base = 1e6F,
       .scaling = RotaryScaling::yarn,
       .scaling_factor = 4.0F,
       .original_max_position = 32768},
      {.head_dim = 64,
       .rotary_dim = 24,
       .scaling = RotaryScaling::yarn,
       .scaling_factor = 40.0F,
       .original_max_position = 128},
      {.head_dim = 16,
       .base = 150000.0F,
       .scaling = RotaryScaling::yarn,
       .scaling_factor = 3.25F,
       .original_max_position = 1000,
       .beta_fast = 7.5F,
       .beta_slow = 7.5F},
      {.head_dim = 128,
       .base = 500000.0F,
       .scaling = RotaryScaling::llama3,
       .scaling_factor = 8.0F,
       .original_max_position = 8192},
      {.head_dim = 64,
       .base = 500000.0F,
       .scaling = RotaryScaling::llama3,
       .scaling_factor = 32.0F,
       .original_max_position = 8192},
      {.head_dim = 32,
       .scaling = RotaryScaling::llama3,
       .scaling_factor = 5.0F,
       .original_max_position = 100,
       .high_freq_factor = 0.75F,
       .low_freq_factor = 0.5F},
  };
  return configs;
}

// The cosines and sines that a call applies at one position: pairs (1, 0) become (cosine, sine).
std::vector<float> rotated_units(const Rotary& rotary, std::uint32_t position) {
  const RotaryConfig& c = rotary.plan.config;
  std::vector<float> x(c.head_dim, 0.0F);
  for (std::uint32_t i = 0; i < c.rotary_dim / 2; ++i) x[columns_of(c, i).first] = 1.0F;
  const MutableTensor view = bhsd(x.data(), 1, 1, c.head_dim);
  EXPECT_EQ(apply_rotary(rotary, {.positions = &position}, view, view), Status::ok);
  return x;
}

// The greatest error at one position in units of 2^-24, before the attention factor.
long double greatest_error(const Rotary& rotary, const std::vector<long double>& frequencies, std::uint32_t position) {
  const RotaryConfig& c = rotary.plan.config;
  const std::vector<float> x = rotated_units(rotary, position);
  long double greatest = 0.0L;
  for (std::uint32_t i = 0; i < c.rotary_dim / 2; ++i) {
    const long double angle = frequencies[i] * position;
    const auto [first, second] = columns_of(c, i);
    greatest = std::max({greatest, std::fabs(x[first] - std::cos(angle)), std::fabs(x[second] - std::sin(angle))});
  }
  return greatest / unit;
}

TEST(Rotary, AnglesAreRoundedOnceBelowPositionTwoToTheTwenty) {
  long double greatest = 0.0L;
  const std::uint32_t stride = 8191 * case_divisor();
  for (RotaryConfig config : models()) {
    config.attention_factor = 1.0F;
    const Rotary rotary{plan_of(config)};
    const std::vector<long double> frequencies = reference_frequencies(rotary.plan.config);
    for (std::uint32_t position = 1; position < 1U << 20; position += stride) {
      greatest = std::max(greatest, greatest_error(rotary, frequencies, position));
    }
    greatest = std::max(greatest, greatest_error(rotary, frequencies, (1U << 20) - 1));
  }
  RecordProperty("error_in_units_of_2^-24", std::to_string(greatest));
  std::printf("greatest error %.4Lf units of 2^-24\n", greatest);
  EXPECT_LE(greatest, precise_reference ? 0.5005L : 1.0L);
}

TEST(Rotary, AnglesStayWithinTheirBoundUpToTheLastPosition) {
  if (!precise_reference) GTEST_SKIP() << "long double cannot resolve these angles";
  long double greatest = 0.0L;
  for (RotaryConfig config : models()) {
    config.attention_factor = 1.0F;
    const Rotary rotary{plan_of(config)};
    const std::vector<long double> frequencies = reference_frequencies(rotary.plan.config);
    for (std::uint64_t back = 0; back < 1ULL << 32; back += 67108859ULL * case_divisor()) {
      greatest = std::max(greatest, greatest_error(rotary, frequencies, UINT32_MAX - static_cast<std::uint32_t>(back)));
    }
  }
  RecordProperty("error_in_units_of_2^-24", std::to_string(greatest));
  std::printf("greatest error %.4Lf units of 2^-24\n", greatest);
  EXPECT_LE(greatest, 2.0L);
}

// In double, as Hugging Face's transformers compute them.
double correction_dim(double rotations, double dims, double base, double context) {
  return dims * std::log(context / (rotations * 2 * 3.141592653589793)) / (2 * std::log(base));
}

TEST(Rotary, YarnRampsBeginAndEndWhereTransformersPutThem) {
  int ramps = 0;
  for (const std::uint32_t dims : {2U, 16U, 64U, 80U, 128U, 512U}) {
    for (const float base : {100.0F, 10000.0F, 150000.0F, 500000.0F, 1e6F, 1e7F}) {
      for (const std::uint32_t context : {7U, 64U, 1000U, 2048U, 4096U, 8192U, 32768U, 131072U, 1048576U}) {
        for (const float fast : {1.0F, 4.0F, 32.0F, 33.5F}) {
          RotaryConfig config{.head_dim = dims, .base = base, .scaling = RotaryScaling::yarn, .scaling_factor = 2.0F};
          config.original_max_position = context;
          config.beta_fast = fast;
          RotaryPlan plan;
          const double first = std::floor(correction_dim(fast, dims, base, context));
          const double last = std::ceil(correction_dim(1.0, dims, base, context));
          if (first >= dims - 1) {
            EXPECT_EQ(make_plan(config, plan), Status::bad_rotary);
            continue;
          }
          ASSERT_EQ(make_plan(config, plan), Status::ok) << dims << " " << base << " " << context << " " << fast;
          EXPECT_EQ(plan.ramp_first, std::max(first, 0.0));
          EXPECT_EQ(plan.ramp_last, std::min(last, dims - 1.0));
          ++ramps;
        }
      }
    }
  }
  EXPECT_GT(ramps, 1000);
}

TEST(Rotary, AttentionFactorOfYarnFollowsItsFactor) {
  for (float factor = 1.0F; factor < 4e9F; factor *= 1.37F) {
    const RotaryConfig config{
        .head_dim = 8, .scaling = RotaryScaling::yarn, .scaling_factor = factor, .original_max_position = 512};
    const double exact = 0.1 * std::log(static_cast<double>(factor)) + 1.0;
    EXPECT_EQ(plan_of(config).config.attention_factor, static_cast<float>(exact)) << factor;
    RotaryConfig given = config;
    given.attention_factor = 0.75F;
    EXPECT_EQ(plan_of(given).config.attention_factor, 0.75F);
  }
  EXPECT_EQ(plan_of({.head_dim = 8}).config.attention_factor, 1.0F);
}

TEST(Rotary, ZerosMeanTheDefaults) {
  for (const RotaryScaling scaling : {RotaryScaling::none, RotaryScaling::yarn, RotaryScaling::llama3}) {
    const RotaryConfig given{.head_dim = 32, .scaling = scaling, .original_max_position = 4096};
    const RotaryConfig zeros{32, 0, 0, RotaryLayout::halves, scaling, 0, 4096, 0, 0, 0, 0, 0, 0};
    const RotaryPlan expected = plan_of(given);
    const RotaryPlan made = plan_of(zeros);
    EXPECT_EQ(std::memcmp(&made, &expected, sizeof made), 0);
  }
}

// A twin in double of apply_rotary(): every pair rotated, the rest copied.
TEST(Rotary, RotatesEveryPairOfEveryHeadAndCopiesTheRest) {
  Random random(11);
  constexpr std::uint32_t batch = 2, heads = 3, tokens = 5;
  for (const RotaryConfig& config : models()) {
    const Rotary rotary{plan_of(config)};
    const RotaryConfig& c = rotary.plan.config;
    const std::vector<long double> frequencies = reference_frequencies(c);
    const std::vector<float> x = random.normals(std::size_t{batch} * heads * tokens * c.head_dim);
    std::vector<float> y(x.size(), -7.0F);
    std::vector<std::uint32_t> positions(batch * tokens);
    for (std::uint32_t& position : positions) position = random.between(0, 100000);
    ASSERT_EQ(apply_rotary(rotary, {batch, heads, tokens, positions.data()}, bshd(x.data(), heads, tokens, c.head_dim),
                           bshd(y.data(), heads, tokens, c.head_dim)),
              Status::ok);
    for (std::size_t row = 0; row < std::size_t{batch} * tokens * heads; ++row) {
      const float* const from = &x[row * c.head_dim];
      const float* const to = &y[row * c.head_dim];
      for (std::uint32_t i = 0; i < c.rotary_dim / 2; ++i) {
        const auto [first, second] = columns_of(c, i);
        const long double angle = frequencies[i] * positions[row / heads];
        const long double cosine = std::cos(angle) * c.attention_factor;
        const long double sine = std::sin(angle) * c.attention_factor;
        EXPECT_NEAR(to[first], static_cast<double>(from[first] * cosine - from[second] * sine), 3e-6);
        EXPECT_NEAR(to[second], static_cast<double>(from[second] * cosine + from[first] * sine), 3e-6);
      }
      for (std::uint32_t d = c.rotary_dim; d < c.head_dim; ++d) EXPECT_EQ(to[d], from[d]);
    }
  }
}

TEST(Rotary, ProductsDependOnTheDistanceAlone) {
  Random random(12);
  const Rotary rotary{plan_of({.head_dim = 64, .layout = RotaryLayout::interleaved})};
  const std::vector<float> query = random.normals(64);
  const std::vector<float> key = random.normals(64);
  const auto product = [&](std::uint32_t query_position, std::uint32_t key_position) {
    std::vector<float> q = query;
    std::vector<float> k = key;
    const MutableTensor q_view = bhsd(q.data(), 1, 1, 64);
    const MutableTensor k_view = bhsd(k.data(), 1, 1, 64);
    EXPECT_EQ(apply_rotary(rotary, {.positions = &query_position}, q_view, q_view), Status::ok);
    EXPECT_EQ(apply_rotary(rotary, {.first_positions = &key_position}, k_view, k_view), Status::ok);
    double sum = 0.0;
    for (std::size_t d = 0; d < 64; ++d) sum += static_cast<double>(q[d]) * k[d];
    return sum;
  };
  for (const std::uint32_t distance : {0U, 1U, 17U, 4000U}) {
    const double near = product(distance, 0);
    for (const std::uint32_t shift : {1U, 100U, 65537U, (1U << 20) - 4001U}) {
      EXPECT_NEAR(product(shift + distance, shift), near, 2e-5) << distance << " " << shift;
    }
  }
  EXPECT_GT(std::fabs(product(5, 0) - product(0, 5)), 1e-2);  // it has a direction
}

}  // namespace
}  // namespace heed::test
