// SPDX-License-Identifier: MIT
//
// The same bits from attend() with options on every port, for any split of the work and any place in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "options/options_random.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

/// The case of a number: every option is on in one of four, the sinks in half of them.
OptionsCase case_number(std::uint32_t number) {
  Random random(31000 + number);
  const Size size = number % 12 == 0 ? Size::large : number % 3 == 0 ? Size::medium : Size::small;
  if (number % 4 != 1) return any_options(random, size);
  OptionsCase c = plain_case(random, size);
  for (std::uint32_t option = 0; option < option_count - number / 4 % 2; ++option) {
    add_option(random, c, static_cast<Option>(option));
  }
  return c;
}

/// 32-bit NEON has 0 for subnormal numbers.
std::vector<float> without_subnormals(std::vector<float> values) {
  for (float& value : values) {
    if (std::abs(value) < std::numeric_limits<float>::min()) value = 0.0F;
  }
  return values;
}

/// Rows first..first + count of a tensor [streams, rows, dim].
std::vector<float> some_rows(const std::vector<float>& values, std::size_t rows, std::size_t dim, std::size_t first,
                             std::size_t count) {
  std::vector<float> some;
  for (std::size_t row = first; row < values.size() / std::max<std::size_t>(dim, 1); row += rows) {
    some.insert(some.end(), values.begin() + static_cast<std::ptrdiff_t>(row * dim),
                values.begin() + static_cast<std::ptrdiff_t>((row + count) * dim));
  }
  return some;
}

template <class Element>
Broadcast<Element> slice(const Broadcast<Element>& whole, std::uint32_t first, std::uint32_t count) {
  if (whole.queries <= 1) return whole;
  Broadcast<Element> part{whole.batch, whole.heads, count, whole.keys, {}};
  for (std::uint32_t b = 0; b < whole.batch; ++b)
    for (std::uint32_t h = 0; h < whole.heads; ++h)
      for (std::uint32_t i = first; i < first + count; ++i)
        for (std::uint32_t j = 0; j < whole.keys; ++j) part.values.push_back(whole.at(b, h, i, j));
  return part;
}

/// The case of `count` of the queries alone, which stay at their positions.
OptionsCase slice(const OptionsCase& c, std::uint32_t first, std::uint32_t count) {
  const AttentionShape& s = c.base.shape;
  OptionsCase part = c;
  part.base.shape.queries = count;
  part.base.query = some_rows(c.base.query, s.queries, s.head_dim, first, count);
  if (c.base.causal != Causal::none) part.base.causal = Causal::offset;
  part.offsets.clear();
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    part.offsets.push_back(static_cast<std::int32_t>(c.position(b, first)));
    if (c.query_lengths.empty()) continue;
    part.query_lengths[b] = std::min(count, std::max(c.query_lengths[b], first) - first);
  }
  part.bool_mask = slice(c.bool_mask, first, count);
  part.mask = slice(c.mask, first, count);
  part.pre_softcap_bias = slice(c.pre_softcap_bias, first, count);
  return part;
}

void expect_same(const Result& got, const Result& expected, std::uint32_t number) {
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_TRUE(same_bits(got.output, expected.output)) << number << ": " << describe(case_number(number));
  ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp)) << number;
  ASSERT_TRUE(same_bits(got.scores, expected.scores)) << number;
}

std::uint64_t hash_of_options(std::uint32_t cases, bool capped) {
  Hash hash;
  for (std::uint32_t number = 0; number < cases; ++number) {
    OptionsCase c = case_number(number);
    c.softcap = capped ? std::max(c.softcap, 3.0F) : 0.0F;
    const OptionsManner manner{.base = {.want_scores = true, .stage = score_stages[number % 4]}};
    const Result result = run(c, manner);
    EXPECT_EQ(result.status, Status::ok);
    for (const auto* values : {&result.output, &result.log_sum_exp, &result.scores}) {
      hash.add(without_subnormals(*values));
    }
  }
  return hash.value();
}

// They change only when the meaning of a result changes.
constexpr std::uint64_t golden_options = 0xB877E6AD58F6BEBDU;
constexpr std::uint64_t golden_softcap = 0xF3F57F26EB2D2C85U;

TEST(OptionsBits, GoldenHashOfOptions) {
  EXPECT_EQ(hash_of_options(240, false), golden_options) << std::hex << hash_of_options(240, false);
}

TEST(OptionsBits, GoldenHashWithSoftcap) {
  EXPECT_EQ(hash_of_options(120, true), golden_softcap) << std::hex << hash_of_options(120, true);
}

void expect_chunks_to_equal_prefill(bool integers) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 720; number += step) {
    const OptionsCase c = case_number(number);
    const AttentionShape& s = c.base.shape;
    const OptionsManner manner{
        .base = {.integers = integers, .want_scores = true, .stage = score_stages[number / 4 % 4]}};
    const Result whole = run(c, manner);
    for (const std::uint32_t chunk : {1U, 5U, 16U, 37U}) {
      for (std::uint32_t first = 0; first < s.queries; first += chunk) {
        const std::uint32_t count = std::min(chunk, s.queries - first);
        OptionsManner other = manner;
        other.base.from_cache = first % 2 == 0;
        const Result part = run(slice(c, first, count), other);
        const Result rows{Status::ok, some_rows(whole.output, s.queries, s.value_dim, first, count),
                          some_rows(whole.scores, s.queries, s.keys, first, count),
                          some_rows(whole.log_sum_exp, s.queries, 1, first, count)};
        ASSERT_NO_FATAL_FAILURE(expect_same(part, rows, number)) << "queries " << first << " to " << first + count;
      }
    }
  }
}

TEST(OptionsBits, ChunksAndSingleQueriesEqualPrefill) {
  expect_chunks_to_equal_prefill(false);
}

TEST(OptionsBits, InIntegersChunksAndSingleQueriesEqualPrefill) {
  expect_chunks_to_equal_prefill(true);
}

void expect_any_manner_to_be_plain(bool integers) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 720; number += step) {
    const OptionsCase c = case_number(number);
    const Result plain = run(c, {.base = {.integers = integers}});
    const auto expect_plain = [&](OptionsManner manner) {
      manner.base.integers = integers;
      expect_same(run(c, manner), plain, number);
    };
    for (const std::uint32_t budget : {1U, 5000U, 12000U, 30000U, 1U << 20}) {
      ASSERT_NO_FATAL_FAILURE(expect_plain({.base = {.scratch_budget = budget}})) << "budget " << budget;
      ASSERT_NO_FATAL_FAILURE(expect_plain({.base = {.scratch_budget = budget, .from_cache = true}})) << budget;
    }
    ASSERT_NO_FATAL_FAILURE(expect_plain({.base = {.from_cache = true, .arena_fill = 0x7F}}));
    ASSERT_NO_FATAL_FAILURE(expect_plain({.base = {.rows_first_layout = true, .arena_fill = 0}}));
    ASSERT_NO_FATAL_FAILURE(expect_plain({.base = {.max_keys = std::max(c.base.shape.keys, 1U)}}));
    ASSERT_NO_FATAL_FAILURE(expect_plain({.format = MaskFormat::bits}));
    ASSERT_NO_FATAL_FAILURE(expect_plain({.format = MaskFormat::bits, .padding = 2, .backwards = true}));
    ASSERT_NO_FATAL_FAILURE(expect_plain({.padding = 5, .backwards = true}));
    for (const std::uint32_t workers : {1U, 2U, 3U}) {
      const OptionsManner manner{.base = {.workers = workers, .executor = thread_per_task()}};
      ASSERT_NO_FATAL_FAILURE(expect_plain(manner)) << "workers " << workers;
    }
  }
}

TEST(OptionsBits, WhateverTheMannerOfRunning) {
  expect_any_manner_to_be_plain(false);
}

TEST(OptionsBits, InIntegersWhateverTheMannerOfRunning) {
  expect_any_manner_to_be_plain(true);
}

TEST(OptionsBits, WhatIsReturnedBesidesDoesNotChangeTheOutput) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 720; number += step) {
    const OptionsCase c = case_number(number);
    const Result plain = run(c);
    for (const bool want_log : {false, true}) {
      ASSERT_TRUE(same_bits(run(c, {.base = {.want_log_sum_exp = want_log}}).output, plain.output)) << number;
      for (const ScoreStage stage :
           {ScoreStage::raw, ScoreStage::softcapped, ScoreStage::masked, ScoreStage::weights}) {
        const OptionsManner manner{.base = {.want_scores = true, .stage = stage, .want_log_sum_exp = want_log}};
        const Result got = run(c, manner);
        ASSERT_TRUE(same_bits(got.output, plain.output)) << number << " stage " << int(stage);
        ASSERT_TRUE(!want_log || same_bits(got.log_sum_exp, plain.log_sum_exp)) << number << " stage " << int(stage);
      }
    }
  }
}

TEST(OptionsBits, ARowDependsOnItselfAlone) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::uint32_t number = 0; number < 480; ++number) {
    const OptionsCase c = case_number(number);
    const AttentionShape& s = c.base.shape;
    const Result whole = run(c);
    OptionsCase changed = c;
    Random random(number);
    for (std::size_t row = 0; row < std::size_t{s.batch} * s.heads * s.queries; ++row) {
      if (row % s.queries % 3 == 1) continue;
      for (std::uint32_t d = 0; d < s.head_dim; ++d) changed.base.query[row * s.head_dim + d] = nan;
    }
    const auto spoil = [&](auto& values, auto make) {
      for (std::size_t e = 0; values.queries > 1 && e < values.values.size(); ++e) {
        if (e / values.keys % values.queries % 3 != 1) values.values[e] = make();
      }
    };
    spoil(changed.bool_mask, [&] { return static_cast<std::uint8_t>(random.between(0, 1)); });
    spoil(changed.mask, [&] { return random.between(0, 1) == 0 ? nan : -std::numeric_limits<float>::infinity(); });
    spoil(changed.pre_softcap_bias, [&] { return nan; });
    const Result other = run(changed, {.base = {.from_cache = number % 2 == 0}});
    for (std::uint32_t i = 1; i < s.queries; i += 3) {
      ASSERT_TRUE(same_bits(some_rows(other.output, s.queries, s.value_dim, i, 1),
                            some_rows(whole.output, s.queries, s.value_dim, i, 1)))
          << number << " query " << i;
      ASSERT_TRUE(same_bits(some_rows(other.log_sum_exp, s.queries, 1, i, 1),
                            some_rows(whole.log_sum_exp, s.queries, 1, i, 1)));
    }
  }
}

TEST(OptionsBits, ABatchEntryDependsOnItselfAlone) {
  for (std::uint32_t number = 0; number < 240; ++number) {
    const OptionsCase c = case_number(number);
    const AttentionShape& s = c.base.shape;
    if (s.batch == 1) continue;
    OptionsCase changed = c;
    for (auto* values : {&changed.base.query, &changed.base.key, &changed.base.value}) {
      std::fill_n(values->begin(), values->size() / s.batch, std::numeric_limits<float>::quiet_NaN());
    }
    if (!c.base.lengths.empty()) changed.base.lengths[0] = s.keys / 2;
    if (!c.offsets.empty()) changed.offsets[0] = -c.offsets[0];
    const Result whole = run(c);
    const Result other = run(changed);
    const std::size_t first = whole.output.size() / s.batch;
    const std::size_t rest = whole.output.size() - first;
    ASSERT_TRUE(same_bits(some_rows(other.output, whole.output.size(), 1, first, rest),
                          some_rows(whole.output, whole.output.size(), 1, first, rest)))
        << number << ": " << describe(c);
  }
}

}  // namespace
}  // namespace heed::test
