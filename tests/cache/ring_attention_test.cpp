// SPDX-License-Identifier: MIT
//
// Attention with positions over rings that have wrapped around: causal masks of several queries, windows, ALiBi and
// relative biases count in tokens, wherever these lie.
#include <gtest/gtest.h>

#include "cache/ring_case.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

TEST(RingAttention, HasTheNumbersOfItsTwin) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 1500; number += divisor) {
    const RingCase c = any_ring(number, size_of(number));
    const StoredRun stored(c.options, c.storage);
    Random random(number);
    OptionsManner manner = any_options_manner(random, c.options.base.shape);
    if (!stored.accepted(manner)) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(c.options));
    const Result got = stored.run(manner);
    ASSERT_NO_FATAL_FAILURE(expect_twin(stored, got, manner.base.stage));
    ASSERT_TRUE(stored.stored.nothing_behind());
    const std::uint32_t workers = 1 + number % 3;
    for (const std::uint32_t budget : {0U, 12000U, 1U << 20}) {
      const OptionsManner other{.base = {.scratch_budget = budget,
                                         .workers = workers,
                                         .executor = workers > 1 ? thread_per_task() : Executor{},
                                         .arena_fill = 0,
                                         .want_scores = true,
                                         .stage = manner.base.stage}};
      if (!stored.accepted(other)) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(stored.run(other), got)) << budget;
    }
  }
}

/// Some values become NaN, which must not show where they are not seen.
void spoil_values(std::uint32_t number, OptionsCase& c) {
  for (std::size_t row = number % 7; row < c.base.value.size() / c.base.shape.value_dim; row += 11) {
    c.base.value[row * c.base.shape.value_dim] = std::numeric_limits<float>::quiet_NaN();
  }
}

/// The bits of attention over what `laid_out` makes of the ring's floats.
void expect_bits_of(std::uint32_t number, const RingCase& c, OptionsCase (*laid_out)(const OptionsCase&)) {
  const StoredRun stored(c.options, c.storage);
  Random random(number);
  const OptionsManner manner = any_options_manner(random, c.options.base.shape);
  if (!stored.accepted(manner)) return;
  SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(c.options));
  expect_same(stored.run(manner), run(laid_out(stored.dequantized), manner));
}

TEST(RingAttention, MasksHaveTheBitsOfABoolMask) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 1500; number += divisor) {
    RingCase c = any_ring(number, size_of(number));
    c.options.slopes = c.options.relative = {};
    c.options.relative_heads = 0;
    if (number / 3 % 3 == 0) spoil_values(number, c.options);
    ASSERT_NO_FATAL_FAILURE(expect_bits_of(number, c, masked_by_slots));
  }
}

/// Scores have the bits of a cache that has room for every token; the sums of the softmax have another order.
TEST(RingAttention, IsAttentionInTheOrderOfTime) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 1000; number += divisor) {
    RingCase c = any_ring(number, size_of(number));
    c.options.bool_mask = {};
    c.options.mask = c.options.pre_softcap_bias = {};
    const StoredRun stored(c.options, c.storage);
    const OptionsManner manner{.base = {.want_scores = true, .stage = ScoreStage::masked}};
    if (!stored.accepted(manner)) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(c.options));
    const OptionsCase laid_out = in_time(stored.dequantized);
    const Result got = stored.run(manner), expected = run(laid_out, manner);
    const AttentionShape& s = c.options.base.shape;
    for (std::size_t e = 0; e < got.scores.size(); ++e) {
      const std::size_t row = e / s.keys, b = row / s.queries / s.heads;
      const std::uint32_t token = stored.dequantized.key_positions[b][e % s.keys];
      ASSERT_EQ(bits_of(got.scores[e]), bits_of(expected.scores[row * laid_out.base.shape.keys + token])) << e;
    }
    const OptionsExpected twin = reference_attention(laid_out);
    ASSERT_NO_FATAL_FAILURE(expect_within(got.output, twin.output, twin.output_bound));
    ASSERT_NO_FATAL_FAILURE(expect_within(got.log_sum_exp, twin.log_sum_exp, twin.log_sum_exp_bound));
  }
}

TEST(RingAttention, RightAtTheWrapTheBitsAreThoseOfTheOrderOfTime) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 1500; number += divisor) {
    const RingCase any = any_ring(number, size_of(number));
    std::vector<std::uint32_t> tokens = any.options.tokens;
    const std::uint32_t slots = any.options.base.shape.keys;
    for (std::uint32_t& count : tokens) count = count / slots * slots + (count < 2 * slots ? slots : 0);
    OptionsCase options = any.options;
    options.key_positions.clear();
    const RingCase c(options, any.storage, 0, tokens);
    ASSERT_NO_FATAL_FAILURE(expect_bits_of(number, c, from_oldest_token));
  }
}

/// The same over a ring that knows positions, for causal masks, and over one that is only decoded, where every token
/// sees all slots.
TEST(RingAttention, WithoutOptionsTheBitsAreThoseOfNone) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 600; number += divisor) {
    const RingCase any = any_ring(number, size_of(number));
    OptionsCase base;
    base.base = any.options.base;
    if (number % 2 == 0) base.base.causal = Causal::none;
    const RingCase c(base, any.storage, any.storage.sink_tokens, any.options.tokens);
    const StoredRun stored(c.options, c.storage);
    EXPECT_EQ(stored.stored.storage.ring == &kv_ring_with_positions, !sees_every_slot(c.options));
    Random random(number);
    const OptionsManner manner = any_options_manner(random, c.options.base.shape);
    if (!stored.accepted(manner)) continue;
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(stored.stored.plan.config) + describe(c.options));
    const Result got = stored.run_base(manner.base);
    ASSERT_NO_FATAL_FAILURE(expect_twin(stored, got, manner.base.stage));
    ASSERT_NO_FATAL_FAILURE(expect_same(got, stored.run(manner)));
  }
}

/// One thing at a time that counts in tokens: a causal mask, a window, slopes, relative biases.
OptionsCase one_option(Random& random, std::uint32_t queries, std::uint32_t slots, std::uint32_t tokens,
                       std::uint32_t which) {
  OptionsCase c;
  c.base = random_case(random, {2, 2, 1, queries, slots, 8, 8});
  c.base.offset = static_cast<std::int32_t>(tokens - random.between(0, slots / 2));
  if (which == 0) c.base.causal = Causal::bottom_right;
  if (which == 1) c.window_left = static_cast<std::int32_t>(random.between(0, slots));
  if (which == 2) c.slopes = random.normals(2, 0.5F);
  if (which == 3) add_relative_bias(random, c);
  return c;
}

/// Sequences of one cache, one of which has wrapped around.
TEST(RingAttention, EveryCountOfTokens) {
  const std::uint32_t divisor = case_divisor();
  std::uint32_t number = 0;
  for (const std::uint32_t queries : {1U, 2U, 14U}) {
    for (const std::uint32_t slots : {16U, 21U, 40U}) {
      for (const std::uint32_t sinks : {0U, 1U, 5U, 15U}) {
        for (std::uint32_t tokens = slots; tokens < 2 * slots + 3; ++tokens) {
          if (number++ % divisor != 0) continue;
          Random random(number);
          const OptionsCase c = one_option(random, queries, slots, tokens, number / divisor % 4);
          const RingCase ring(c, storage_number(number), sinks, {tokens, slots});
          const StoredRun stored(ring.options, ring.storage);
          SCOPED_TRACE(name_of(stored.stored.plan.config) + describe(ring.options));
          const Result got = stored.run({.base = {.want_scores = true}});
          ASSERT_NO_FATAL_FAILURE(expect_twin(stored, got, ScoreStage::weights));
        }
      }
    }
  }
}

/// Pages are in the order of time, whatever has become of a sequence that is none of them.
TEST(RingAttention, PagesBesideASequenceThatHasWrapped) {
  for (std::uint32_t which = 0; which < 4; ++which) {
    Random random(which);
    OptionsCase c = one_option(random, 3, 32, 32, which);
    KvCacheConfig storage = storage_number(which);
    const Result expected = StoredRun(c, storage, 16).run();
    storage.ring = true;
    StoredRun paged(c, storage, 16);
    // The last sequence is no page; it changes places with sequence 0.
    const std::uint32_t spare = paged.stored.plan.config.max_sequences - 1;
    const auto page = std::find(paged.pages.begin(), paged.pages.end(), 0U) - paged.pages.begin();
    const auto b = static_cast<std::uint32_t>(page / 2);
    ConstTensor key = entry(c.base.key, c.base.shape, b, 8), value = entry(c.base.value, c.base.shape, b, 8);
    ASSERT_EQ(paged.stored.cache.append(0, 5, key, value), Status::ok);
    key.data += page % 2 * 16 * 8;
    value.data += page % 2 * 16 * 8;
    ASSERT_EQ(paged.stored.cache.append(spare, 16, key, value), Status::ok);
    paged.pages[static_cast<std::size_t>(page)] = spare;
    ASSERT_NO_FATAL_FAILURE(expect_same(paged.run(), expected)) << which;
  }
}

/// However many tokens a ring has counted, its window moves with them: states as a snapshot of a long stream has them.
TEST(RingAttention, PositionsReachTheGreatestCountOfTokens) {
  const std::uint32_t divisor = case_divisor();
  for (std::uint32_t number = 0; number < 200; number += divisor) {
    RingCase any = any_ring(number, Size::small);
    OptionsCase c = any.options;
    c.base.causal = Causal::bottom_right;
    c.prefix_lengths = {};
    c.key_positions.clear();
    const RingCase ring(c, any.storage, 0, c.tokens);
    StoredRun stored(ring.options, ring.storage);
    const Result expected = stored.run();
    const KvCachePlan& plan = stored.stored.plan;
    auto* states = reinterpret_cast<std::uint32_t*>(stored.stored.memory.span().data() + plan.states.offset);
    for (const std::uint32_t sequence : stored.sequences) {
      const std::uint32_t laps = (max_tokens - states[sequence]) / plan.config.max_keys;
      states[sequence] += laps * plan.config.max_keys;
    }
    ASSERT_EQ(stored.stored.cache.bind(plan, stored.stored.used(), stored.stored.storage), Status::ok);
    SCOPED_TRACE(std::to_string(number) + ": " + name_of(plan.config) + describe(ring.options));
    ASSERT_NO_FATAL_FAILURE(expect_same(stored.run(), expected));
  }
}

// It changes only when the meaning of a result changes.
constexpr std::uint64_t golden_ring = 0xC32E7080F53FAFDAU;

TEST(RingAttention, GoldenHash) {
  Hash hash;
  for (std::uint32_t number = 0; number < 150; ++number) {
    RingCase c = any_ring(90000 + number, size_of(number));
    AttentionShape& s = c.options.base.shape;
    s.value_dim = s.head_dim;
    Random random(number);
    c.options.base.value = random.normals(std::size_t{s.batch} * s.kv_heads * s.keys * s.value_dim);
    const StoredRun stored(c.options, c.storage);
    const OptionsManner manner{.base = {.want_scores = true, .stage = score_stages[number % 4]}};
    ASSERT_TRUE(stored.accepted(manner));
    const Result result = stored.run(manner);
    for (const auto* values : {&result.output, &result.log_sum_exp, &result.scores}) {
      hash.add(without_subnormals(*values));
    }
  }
  EXPECT_EQ(hash.value(), golden_ring) << std::hex << hash.value();
}

}  // namespace
}  // namespace heed::test
