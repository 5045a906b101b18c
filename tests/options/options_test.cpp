// SPDX-License-Identifier: MIT
//
// attend() with options against double precision: output, scores at every stage and log-sum-exp of random cases.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "options/options_random.hpp"
#include "options/options_reference.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Worst {
  double ratio = 0;
  std::size_t element = 0;

  void see(double other, std::size_t at) {
    if (other > ratio || std::isnan(other)) *this = {std::isnan(other) ? infinity : other, at};
  }
};

Worst worst_ratio(const std::vector<float>& got, const std::vector<double>& expected,
                  const std::vector<double>& bound) {
  Worst worst;
  if (got.size() != expected.size()) return {infinity, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double x = got[i];
    if (x != expected[i]) worst.see(std::abs(x - expected[i]) / bound[i], i);
  }
  return worst;
}

/// The largest error over bound so far, by what is returned.
struct Ratios {
  double output = 0, log_sum_exp = 0, scores[4] = {};
};

void check(const OptionsCase& c, const OptionsManner& manner, Ratios& ratios) {
  const Result got = run(c, manner);
  ASSERT_EQ(got.status, Status::ok);
  const OptionsExpected expected = reference_attention(c);
  const int stage = static_cast<int>(manner.base.stage);
  const auto compare = [](const char* what, const std::vector<float>& values, const std::vector<double>& wanted,
                          const std::vector<double>& bound, double& largest) {
    const Worst worst = worst_ratio(values, wanted, bound);
    ASSERT_LE(worst.ratio, 1.0) << what << " [" << worst.element << "] is " << values.at(worst.element) << ", not "
                                << wanted.at(worst.element) << " +- " << bound.at(worst.element);
    largest = std::max(largest, worst.ratio);
  };
  compare("log-sum-exp", got.log_sum_exp, expected.log_sum_exp, expected.log_sum_exp_bound, ratios.log_sum_exp);
  compare("output", got.output, expected.output, expected.output_bound, ratios.output);
  constexpr const char* stages[] = {"raw score", "capped score", "biased score", "weight"};
  compare(stages[stage], got.scores, expected.scores[stage], expected.score_bound[stage], ratios.scores[stage]);
}

/// `count` random cases, made by make(random, number) and run in any manner.
void expect_small_errors(std::uint64_t seed, std::uint32_t count,
                         const std::function<OptionsCase(Random&, std::uint32_t)>& make) {
  const std::uint32_t step = case_divisor();
  Ratios ratios;
  std::uint32_t cases = 0;
  for (std::uint32_t number = 0; number < count; number += step, ++cases) {
    Random random(seed * 1000000 + number);
    const OptionsCase c = make(random, number);
    const OptionsManner manner = any_options_manner(random, c.base.shape);
    check(c, manner, ratios);
    if (testing::Test::HasFailure()) {
      FAIL() << "case " << number << ": " << describe(c) << "\n  budget " << manner.base.scratch_budget << " cache "
             << manner.base.from_cache << " rows first " << manner.base.rows_first_layout << " max_keys "
             << manner.base.max_keys << " bits " << int(manner.format) << " padding " << manner.padding << " backwards "
             << manner.backwards;
    }
  }
  std::printf("%u cases: largest error / bound: output %.3f, log-sum-exp %.3f, scores %.3f %.3f %.3f, weights %.3f\n",
              cases, ratios.output, ratios.log_sum_exp, ratios.scores[0], ratios.scores[1], ratios.scores[2],
              ratios.scores[3]);
}

/// Any of the options given, at least one.
OptionsCase some_of(Random& random, std::span<const Option> options) {
  OptionsCase c = plain_case(random, any_size(random));
  const std::uint32_t chosen = random.between(1, (1U << options.size()) - 1);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if ((chosen >> i & 1) != 0) add_option(random, c, options[i]);
  }
  return c;
}

TEST(Options, PositionsAndLengths) {
  constexpr Option options[] = {Option::causal,        Option::key_lengths,    Option::offsets,
                                Option::query_lengths, Option::prefix_lengths, Option::window};
  expect_small_errors(1, 4000, [&](Random& random, std::uint32_t) { return some_of(random, options); });
}

TEST(Options, BoolMasks) {
  constexpr Option options[] = {Option::bool_mask, Option::causal, Option::key_lengths, Option::window};
  expect_small_errors(2, 3000, [&](Random& random, std::uint32_t) {
    OptionsCase c = some_of(random, options);
    if (c.bool_mask.empty()) add_option(random, c, Option::bool_mask);
    return c;
  });
}

TEST(Options, AdditiveMasks) {
  constexpr Option options[] = {Option::mask, Option::bool_mask, Option::causal, Option::query_lengths};
  expect_small_errors(3, 3000, [&](Random& random, std::uint32_t) {
    OptionsCase c = some_of(random, options);
    if (c.mask.empty()) add_option(random, c, Option::mask);
    return c;
  });
}

TEST(Options, CapsAndBiases) {
  constexpr Option options[] = {Option::pre_softcap_bias, Option::softcap, Option::alibi,
                                Option::relative_bias,    Option::causal,  Option::offsets};
  expect_small_errors(4, 4000, [&](Random& random, std::uint32_t) { return some_of(random, options); });
}

TEST(Options, Sinks) {
  constexpr Option options[] = {Option::causal, Option::key_lengths, Option::bool_mask, Option::softcap, Option::mask};
  expect_small_errors(5, 2000, [&](Random& random, std::uint32_t number) {
    OptionsCase c = some_of(random, options);
    add_option(random, c, number % 3 == 0 ? Option::smooth_softmax : Option::sinks);
    return c;
  });
}

TEST(Options, EveryPair) {
  expect_small_errors(6, 20 * option_count * option_count, [](Random& random, std::uint32_t number) {
    OptionsCase c = plain_case(random, any_size(random));
    add_option(random, c, static_cast<Option>(number % option_count));
    add_option(random, c, static_cast<Option>(number / option_count % option_count));
    return c;
  });
}

TEST(Options, AllTogether) {
  expect_small_errors(7, 3000, [](Random& random, std::uint32_t) { return any_options(random, any_size(random)); });
}

TEST(Options, SeveralBlocks) {
  expect_small_errors(8, 200, [](Random& random, std::uint32_t number) {
    return any_options(random, number % 3 == 0 ? Size::medium : Size::large);
  });
}

TEST(Options, PositionsOfAnySize) {
  constexpr std::int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -5, -1, 0, 7, INT32_MAX - 1, INT32_MAX};
  expect_small_errors(9, 2000, [&](Random& random, std::uint32_t) {
    OptionsCase c = plain_case(random, Size::small);
    const auto any_end = [&] { return ends[random.between(0, 7)]; };
    c.base.causal = random.between(0, 1) == 0 ? Causal::offset : Causal::none;
    for (std::uint32_t b = 0; b < c.base.shape.batch; ++b) c.offsets.push_back(any_end());
    c.window_left = std::max(any_end(), -1);
    c.window_right = std::max(any_end(), -1);
    if (random.between(0, 3) == 0) add_option(random, c, Option::prefix_lengths);
    if (random.between(0, 1) == 0) add_option(random, c, Option::relative_bias);
    return c;
  });
}

}  // namespace
}  // namespace heed::test
