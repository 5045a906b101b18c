// SPDX-License-Identifier: MIT
//
// attend() over a KvCache has the bits of attend() over its dequantized floats, for every pair of data
// types, in one sequence or in pages, and on every port.
#include <gtest/gtest.h>

#include "cache/kv_cache_run.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

/// Rows of the keys and values of a case become rows of every magnitude; finite, and small enough for finite scores.
void mix_magnitudes(Random& random, OptionsCase& c) {
  for (std::vector<float>* rows : {&c.base.key, &c.base.value}) {
    const float factor = random.between(0, 3) == 0 ? 0x1p-20F : 1.0F;
    for (float& x : *rows) {
      x *= factor;
      if (random.between(0, 40) == 0) x *= 30.0F;
    }
  }
}

OptionsCase case_number(std::uint32_t number, Size size) {
  Random random(52000 + number);
  OptionsCase c = number % 5 == 0 ? plain_case(random, size) : any_options(random, size);
  mix_magnitudes(random, c);
  return c;
}

Size size_of(std::uint32_t number) {
  return number % 24 == 7 ? Size::large : number % 6 == 1 ? Size::medium : Size::small;
}

void expect_dequantized(const StoredRun& stored, const OptionsManner& manner) {
  if (!stored.accepted(manner)) {
    ASSERT_EQ(stored.try_run(manner).status, Status::plan_mismatch);
    return;
  }
  const Result got = stored.run(manner);
  ASSERT_EQ(got.status, Status::ok);
  for (const bool from_cache : {false, true}) {
    OptionsManner other = manner;
    other.base.from_cache = from_cache;
    ASSERT_NO_FATAL_FAILURE(expect_same(got, run(stored.dequantized, other)))
        << "from a cache of floats: " << from_cache;
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(stored.run_base(manner.base), run(stored.dequantized.base, manner.base)));
}

/// One query, few, many, and grouped heads, at sizes around a panel and a block.
OptionsCase plain(std::uint32_t queries, std::uint32_t keys, std::uint32_t group, std::uint32_t head_dim,
                  std::uint32_t value_dim) {
  Random random(queries * 1000 + keys);
  OptionsCase c;
  c.base = random_case(random, {2, 2 * group, 2, queries, keys, head_dim, value_dim});
  mix_magnitudes(random, c);
  return c;
}

TEST(KvCacheAttention, EveryPairOfTypesAndCountOfQueries) {
  const std::uint32_t divisor = case_divisor();
  std::uint32_t number = 0;
  for (const std::uint32_t queries : {1U, 2U, 5U, 9U, 13U, 20U, 70U}) {
    for (const std::uint32_t keys : {1U, 17U, 300U}) {
      for (const std::uint32_t group : {1U, 3U}) {
        for (const KvCacheConfig& storage : every_storage({.head_dim = 1, .max_keys = 1})) {
          if (number++ % divisor != 0) continue;
          const std::uint32_t value_dim = number % 2 == 0 ? 40 : 33;
          const StoredRun stored(plain(queries, keys, group, 33, value_dim), storage);
          SCOPED_TRACE(name_of(stored.stored.plan.config) + ", queries " + std::to_string(queries));
          ASSERT_NO_FATAL_FAILURE(expect_dequantized(stored, {.base = {.want_scores = true}}));
          ASSERT_TRUE(stored.stored.nothing_behind());
        }
      }
    }
  }
}

TEST(KvCacheAttention, WhateverTheOptionsAndTheMannerOfRunning) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 2400; number += divisor) {
    const OptionsCase c = case_number(number, size_of(number));
    const StoredRun stored(c, storage_number(number));
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(c));
    Random random(number);
    ASSERT_NO_FATAL_FAILURE(expect_dequantized(stored, any_options_manner(random, c.base.shape)));
    if (!stored.accepted({.base = {.scratch_budget = 1}})) continue;
    const Result result = stored.run();
    if (number % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_twin(stored, stored.run({.base = {.want_scores = true}}), ScoreStage::weights));
    }
    for (const std::uint32_t budget : {1U, 12000U, 1U << 20}) {
      ASSERT_NO_FATAL_FAILURE(expect_same(stored.run({.base = {.scratch_budget = budget}}), result)) << budget;
    }
    if (number % 8 != 0) continue;
    for (const std::uint32_t workers : {2U, 3U}) {
      const OptionsManner manner{.base = {.workers = workers, .executor = thread_per_task(), .arena_fill = 0}};
      ASSERT_NO_FATAL_FAILURE(expect_same(stored.run(manner), result)) << "workers " << workers;
    }
  }
}

TEST(KvCacheAttention, PagesHaveTheBitsOfOneSequence) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 1200; number += divisor) {
    OptionsCase c = case_number(number, number % 4 == 0 ? Size::large : Size::medium);
    const StoredRun whole(c, storage_number(number));
    Random random(number);
    OptionsManner manner = any_options_manner(random, c.base.shape);
    // Pages hold a batch entry's own keys alone: there is nothing to score beyond its length.
    manner.base.want_scores = c.base.lengths.empty();
    if (!whole.accepted(manner)) continue;
    const Result expected = whole.run(manner);
    ASSERT_EQ(expected.status, Status::ok);
    for (const std::uint32_t page_keys : {16U, 32U, 48U, 256U}) {
      const StoredRun paged(c, storage_number(number), page_keys);
      SCOPED_TRACE(std::to_string(number) + ": pages of " + std::to_string(page_keys) + describe(c));
      ASSERT_NO_FATAL_FAILURE(expect_same(paged.run(manner), expected));
      ASSERT_NO_FATAL_FAILURE(expect_same(paged.run_base(manner.base), whole.run_base(manner.base)));
    }
  }
}

TEST(KvCacheAttention, BatchEntriesShareThePagesOfACommonPrefix) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    const std::uint32_t page_keys = number % 2 == 0 ? 16 : 48;
    const std::uint32_t prefix = 2 * page_keys;
    Random random(number);
    OptionsCase c;
    c.base = random_case(random, {3, 4, 2, 1 + number % 3, prefix + 29, 24, 24});
    c.base.causal = Causal::bottom_right;
    c.base.lengths = {prefix + 29, prefix, prefix + 7};
    const AttentionShape& s = c.base.shape;
    for (auto* rows : {&c.base.key, &c.base.value}) {
      for (std::size_t row = 0; row < std::size_t{3} * s.kv_heads * s.keys; ++row) {
        if (row % s.keys >= prefix) continue;
        const auto from = static_cast<std::ptrdiff_t>(row % (s.kv_heads * s.keys) * 24);
        std::copy_n(rows->begin() + from, 24, rows->begin() + static_cast<std::ptrdiff_t>(row * 24));
      }
    }
    const Result copied = StoredRun(c, storage_number(number)).run();
    StoredRun paged(c, storage_number(number), page_keys);
    for (const std::uint32_t b : {1U, 2U}) {
      for (const std::uint32_t p : {0U, 1U}) {
        std::uint32_t& page = paged.pages[std::size_t{b} * paged.max_pages + p];
        ASSERT_EQ(paged.stored.cache.reset(page), Status::ok);
        page = paged.pages[p];
      }
    }
    ASSERT_EQ(copied.status, Status::ok);
    ASSERT_NO_FATAL_FAILURE(expect_same(paged.run(), copied)) << number;
  }
}

/// Tokens whose keys or values are not numbers dequantize to NaN, and show in the rows that see them alone.
TEST(KvCacheAttention, WhatIsNoNumberShowsWhereItIsSeen) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::uint32_t number = 0; number < 300; ++number) {
    Random random(number);
    OptionsCase clean = any_options(random, number % 3 == 0 ? Size::medium : Size::small);
    clean.pre_softcap_bias = {};
    if (clean.base.shape.keys == 0) continue;
    const KvCacheConfig storage = storage_number(number);
    const AttentionShape& s = clean.base.shape;
    OptionsCase spoilt = clean;
    std::vector<bool> spoils(s.keys);
    for (std::uint32_t j = 0; j < s.keys; ++j) spoils[j] = random.between(0, 5) == 0;
    for (std::size_t row = 0; row < std::size_t{s.batch} * s.kv_heads * s.keys; ++row) {
      if (!spoils[row % s.keys]) continue;
      // Scales per channel cannot say that a key is none.
      if (storage.key_type != DataType::int8_channels) spoilt.base.key[row * s.head_dim + row % s.head_dim] = nan;
      spoilt.base.value[row * s.value_dim + row % s.value_dim] = nan;
    }
    const StoredRun stored(spoilt, storage);
    if (!stored.accepted({})) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(clean));
    const Result got = stored.run();
    ASSERT_NO_FATAL_FAILURE(expect_same(got, run(stored.dequantized)));
    const Result without = StoredRun(clean, storage).run();
    for (std::uint32_t row = 0; row < s.batch * s.heads * s.queries; ++row) {
      const std::uint32_t b = row / (s.heads * s.queries), h = row / s.queries % s.heads, i = row % s.queries;
      bool sees = false;
      for (std::uint32_t j = 0; j < s.keys; ++j) sees = sees || (spoils[j] && clean.seen(b, h, i, j));
      bool any_nan = false, same = true;
      for (std::size_t e = std::size_t{row} * s.value_dim; e < std::size_t{row + 1} * s.value_dim; ++e) {
        any_nan = any_nan || std::isnan(got.output[e]);
        same = same && bits_of(got.output[e]) == bits_of(without.output[e]);
      }
      ASSERT_EQ(any_nan, sees) << "row " << row;
      ASSERT_TRUE(sees || same) << "row " << row;
    }
  }
}

// It changes only when the meaning of a result changes.
constexpr std::uint64_t golden_stored = 0xF815EA1E6060C49AU;

TEST(KvCacheAttention, GoldenHash) {
  Hash hash;
  for (std::uint32_t number = 0; number < 150; ++number) {
    OptionsCase c = case_number(90000 + number, size_of(number));
    c.base.shape.value_dim = c.base.shape.head_dim;
    Random random(number);
    const auto& s = c.base.shape;
    c.base.value = random.normals(std::size_t{s.batch} * s.kv_heads * s.keys * s.value_dim);
    // Every storage type of keys meets every type of values, in sequences and in pages.
    const StoredRun stored(c, storage_number(number), number % 4 == 3 && c.base.lengths.empty() ? 32 : 0);
    const OptionsManner manner{.base = {.want_scores = true, .stage = score_stages[number % 4]}};
    ASSERT_TRUE(stored.accepted(manner));
    const Result result = stored.run(manner);
    ASSERT_EQ(result.status, Status::ok);
    for (const auto* values : {&result.output, &result.log_sum_exp, &result.scores}) {
      hash.add(without_subnormals(*values));
    }
  }
  EXPECT_EQ(hash.value(), golden_stored) << std::hex << hash.value();
}

}  // namespace
}  // namespace heed::test
