// SPDX-License-Identifier: MIT
//
// Masks that say the same give the same bits, whatever kind they are of, and what is hidden never shows.
#include <gtest/gtest.h>

#include <limits>

#include "options/options_random.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Size size_of(std::uint32_t number) {
  return number % 16 == 0 ? Size::large : number % 4 == 0 ? Size::medium : Size::small;
}

OptionsManner weights_in_any_manner(Random& random, const AttentionShape& shape) {
  OptionsManner manner = any_options_manner(random, shape);
  manner.base.stage = ScoreStage::weights;
  return manner;
}

void expect_same(const Result& got, const Result& expected) {
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_EQ(expected.status, Status::ok);
  ASSERT_TRUE(same_bits(got.output, expected.output));
  ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp));
  ASSERT_TRUE(same_bits(got.scores, expected.scores));
}

/// Positions as they are, and nothing that hides a key.
OptionsCase without_masks(const OptionsCase& c) {
  OptionsCase open = c;
  for (std::uint32_t b = 0; b < c.base.shape.batch && c.offsets.empty(); ++b) open.offsets.push_back(0);
  for (std::uint32_t b = 0; b < c.base.shape.batch; ++b) {
    open.offsets[b] = static_cast<std::int32_t>(c.position(b, 0));
  }
  open.base.causal = Causal::none;
  open.base.lengths.clear();
  open.query_lengths.clear();
  open.prefix_lengths.clear();
  open.window_left = open.window_right = -1;
  open.bool_mask = {};
  open.mask = {};
  return open;
}

/// What every query sees, as one dense mask.
Broadcast<std::uint8_t> seen_keys(const OptionsCase& c) {
  const AttentionShape& s = c.base.shape;
  Broadcast<std::uint8_t> seen{s.batch, s.heads, s.queries, s.keys, {}};
  for (std::uint32_t b = 0; b < s.batch; ++b)
    for (std::uint32_t h = 0; h < s.heads; ++h)
      for (std::uint32_t i = 0; i < s.queries; ++i)
        for (std::uint32_t j = 0; j < s.keys; ++j) seen.values.push_back(c.seen(b, h, i, j) ? 1 : 0);
  return seen;
}

/// 0 where a key is seen and -inf where not.
Broadcast<float> additive(const Broadcast<std::uint8_t>& open) {
  Broadcast<float> mask{open.batch, open.heads, open.queries, open.keys, {}};
  for (const std::uint8_t one : open.values) mask.values.push_back(one != 0 ? 0.0F : -infinity);
  return mask;
}

TEST(OptionsBits, NoOptionIsAttend) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 640; number += step) {
    Random random(41000 + number);
    OptionsCase c = plain_case(random, size_of(number));
    if (number % 2 == 0) add_option(random, c, Option::causal);
    if (number % 3 == 0) add_option(random, c, Option::key_lengths);
    const OptionsManner manner = any_options_manner(random, c.base.shape);
    const Result plain = run(c.base, manner.base);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(c, manner), plain)) << describe(c);

    // Options that say what is so already. Positions are not what they were before, and nothing looks at them.
    const AttentionShape& s = c.base.shape;
    c.query_lengths.assign(s.batch, s.queries);
    c.prefix_lengths.assign(s.batch, 0);
    c.window_left = c.window_right = std::numeric_limits<std::int32_t>::max();
    c.bool_mask = {1, 1, 1, s.keys, std::vector<std::uint8_t>(s.keys, 1)};
    c.mask = {1, 1, 1, s.keys, std::vector<float>(s.keys, 0.0F)};
    c.pre_softcap_bias = c.mask;
    c.slopes.assign(s.heads, 0.0F);
    c.relative = {0.0F};
    c.relative_heads = 1;
    c.sinks.assign(s.heads, -infinity);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(c, manner), plain)) << describe(c);
  }
}

TEST(OptionsBits, ABoolMaskOfWhatIsSeenIsEveryOtherMask) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 640; number += step) {
    Random random(42000 + number);
    OptionsCase c = any_options(random, size_of(number));
    c.mask = {};  // its numbers are not 0
    const OptionsManner manner = weights_in_any_manner(random, c.base.shape);
    OptionsCase masked = without_masks(c);
    masked.bool_mask = seen_keys(c);
    const Result expected = run(c, manner);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(masked, manner), expected)) << describe(c);
    masked.mask = additive(masked.bool_mask);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(masked, manner), expected)) << describe(c);
    masked.bool_mask = {};
    ASSERT_NO_FATAL_FAILURE(expect_same(run(masked, manner), expected)) << describe(c);
  }
}

TEST(OptionsBits, ABoolMaskIsCausal) {
  for (std::uint32_t number = 0; number < 200; ++number) {
    Random random(43000 + number);
    OptionsCase c = plain_case(random, size_of(number));
    c.base.causal = static_cast<Causal>(1 + number % 3);
    c.base.offset = static_cast<std::int32_t>(random.between(0, 40)) - 20;
    const OptionsManner manner = weights_in_any_manner(random, c.base.shape);
    OptionsCase masked = c;
    masked.bool_mask = seen_keys(c);
    masked.base.causal = Causal::none;
    ASSERT_NO_FATAL_FAILURE(expect_same(run(masked, manner), run(c.base, manner.base))) << describe(c);
  }
}

/// One of the keys of each key head gets a NaN in its key or value. Which rows see it?
struct Poison {
  bool in_key;
  std::vector<std::uint32_t> key, element;  ///< [batch, kv_heads]
};

Poison poison(Random& random, OptionsCase& c) {
  const AttentionShape& s = c.base.shape;
  Poison made{random.between(0, 1) == 0, {}, {}};
  const std::uint32_t dim = made.in_key ? s.head_dim : s.value_dim;
  for (std::uint32_t stream = 0; stream < s.batch * s.kv_heads; ++stream) {
    made.key.push_back(random.between(0, s.keys - 1));
    made.element.push_back(random.between(0, dim - 1));
    const std::size_t at = (std::size_t{stream} * s.keys + made.key.back()) * dim + made.element.back();
    (made.in_key ? c.base.key[at] : c.base.value[at]) = nan;
  }
  return made;
}

void expect_poison_only_where_seen(const OptionsCase& c, const Poison& poison, const Result& clean, const Result& got) {
  const AttentionShape& s = c.base.shape;
  std::size_t row = 0;
  for (std::uint32_t b = 0; b < s.batch; ++b) {
    for (std::uint32_t h = 0; h < s.heads; ++h) {
      const std::uint32_t stream = b * s.kv_heads + h / (s.heads / s.kv_heads);
      for (std::uint32_t i = 0; i < s.queries; ++i, ++row) {
        const bool seen = c.seen(b, h, i, poison.key[stream]);
        for (std::uint32_t d = 0; d < s.value_dim; ++d) {
          const float x = got.output[row * s.value_dim + d];
          if (seen && (poison.in_key || d == poison.element[stream])) {
            ASSERT_TRUE(std::isnan(x)) << "row " << row << " sees it, and has " << x;
          } else {
            ASSERT_EQ(std::memcmp(&x, &clean.output[row * s.value_dim + d], sizeof x), 0) << "row " << row;
          }
        }
        if (!seen || !poison.in_key) {
          ASSERT_EQ(got.log_sum_exp[row], clean.log_sum_exp[row]) << "row " << row;
        } else {
          ASSERT_TRUE(std::isnan(got.log_sum_exp[row])) << "row " << row;
        }
      }
    }
  }
}

TEST(OptionsBits, ANanReachesJustTheRowsThatSeeIt) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 2000; number += step) {
    Random random(44000 + number);
    const OptionsCase c = any_options(random, size_of(number));
    if (c.base.shape.keys == 0) continue;
    const OptionsManner manner = weights_in_any_manner(random, c.base.shape);
    OptionsCase bad = c;
    const Poison where = poison(random, bad);
    ASSERT_NO_FATAL_FAILURE(expect_poison_only_where_seen(c, where, run(c, manner), run(bad, manner)))
        << number << (where.in_key ? " key: " : " value: ") << describe(c);
  }
}

/// Rows of a block whose values are not finite are computed one by one; the last one here sees none of its keys.
TEST(OptionsBits, ARowWithoutAKeyOfABlockLeavesTheOtherRowsAlone) {
  constexpr std::uint32_t queries = 16, keys = block_keys + 44, poisoned = block_keys + 4;
  Random random(47000);
  OptionsCase c;
  c.base = random_case(random, {.queries = queries, .keys = keys, .head_dim = 16, .value_dim = 16}, 1.0F);
  c.bool_mask = {1, 1, queries, keys, std::vector<std::uint8_t>(std::size_t{queries} * keys, 1)};
  c.bool_mask.values[poisoned] = 0;
  for (std::uint32_t key = block_keys; key < keys; ++key) c.bool_mask.values[(queries - 1) * keys + key] = 0;
  OptionsCase bad = c;
  bad.base.value[std::size_t{poisoned} * 16] = nan;
  expect_poison_only_where_seen(c, {false, {poisoned}, {0}}, run(c, {}), run(bad, {}));
}

TEST(OptionsBits, AHiddenKeyHasNoWeightEvenWhereTheRowIsNan) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 640; number += step) {
    Random random(46000 + number);
    OptionsCase c = any_options(random, size_of(number));
    for (std::size_t e = 0; e < c.base.key.size(); e += 1 + number % 5)
      c.base.key[e] = number % 3 == 0 ? infinity : nan;
    OptionsManner manner = any_options_manner(random, c.base.shape);
    manner.base.stage = number % 2 == 0 ? ScoreStage::weights : ScoreStage::masked;
    const Result got = run(c, manner);
    const Broadcast<std::uint8_t> seen = seen_keys(c);
    const float hidden = number % 2 == 0 ? 0.0F : -infinity;
    for (std::size_t e = 0; e < seen.values.size(); ++e) {
      ASSERT_TRUE(seen.values[e] != 0 || got.scores[e] == hidden)
          << number << ": " << describe(c) << " element " << e << " has " << got.scores[e];
    }
  }
}

TEST(OptionsBits, NothingThatNoQuerySeesShows) {
  const std::uint32_t step = case_divisor();
  for (std::uint32_t number = 0; number < 2000; number += step) {
    Random random(45000 + number);
    const OptionsCase c = any_options(random, size_of(number));
    const AttentionShape& s = c.base.shape;
    OptionsCase bad = c;
    for (std::size_t row = 0; row < std::size_t{s.batch} * s.kv_heads * s.keys; ++row) {
      const auto b = static_cast<std::uint32_t>(row / s.keys / s.kv_heads);
      const auto j = static_cast<std::uint32_t>(row % s.keys);
      const std::uint32_t group = s.heads / s.kv_heads;
      const auto first_head = static_cast<std::uint32_t>(row / s.keys % s.kv_heads) * group;
      bool seen = false;
      for (std::uint32_t h = first_head; h < first_head + group; ++h)
        for (std::uint32_t i = 0; i < s.queries; ++i) seen = seen || c.seen(b, h, i, j);
      if (seen) continue;
      for (std::uint32_t d = 0; d < s.head_dim; ++d) bad.base.key[row * s.head_dim + d] = j % 2 == 0 ? nan : infinity;
      for (std::uint32_t d = 0; d < s.value_dim; ++d)
        bad.base.value[row * s.value_dim + d] = j % 3 == 0 ? -infinity : nan;
    }
    const OptionsManner manner = weights_in_any_manner(random, s);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(bad, manner), run(c, manner))) << describe(c);
  }
}

}  // namespace
}  // namespace heed::test
