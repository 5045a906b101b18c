// SPDX-License-Identifier: MIT
//
// Rows that see no key, under attend() with options.
#include <gtest/gtest.h>

#include <limits>

#include "options/options_random.hpp"
#include "support/effort.hpp"

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

TEST(OptionsEmpty, ARowThatSeesNoKeyIsExactlyZero) {
  const std::uint32_t step = case_divisor();
  for (const Closing& closing : closings) {
    for (std::uint32_t number = 0; number < 120; number += step) {
      Random random(51000 + number);
      OptionsCase c = before_closing(random, number);
      closing.close(c);
      OptionsManner manner = any_options_manner(random, c.base.shape);
      manner.base.stage = number % 2 == 0 ? ScoreStage::weights : ScoreStage::masked;
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

TEST(OptionsEmpty, RowsThatSeeNothingBesideRowsThatDo) {
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

}  // namespace
}  // namespace heed::test
