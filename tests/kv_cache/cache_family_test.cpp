// SPDX-License-Identifier: MIT
//
// Both caches are one family: code written for one compiles for the other and means the same, and keys can be rotated
// on their way into either, in every type.
#include <gtest/gtest.h>

#include <cstring>

#include "heed/heed.hpp"
#include "kv_cache/kv_cache_cases.hpp"

namespace heed::test {
namespace {

template <class Cache>
struct Kind;

template <>
struct Kind<FloatKvCache> {
  using Config = FloatKvCacheConfig;
  using Plan = FloatKvCachePlan;
};

template <>
struct Kind<KvCache> {
  using Config = KvCacheConfig;
  using Plan = KvCachePlan;
};

constexpr std::uint32_t heads = 2, key_dim = 6, value_dim = 5, slots = 20;

template <class Cache>
class CacheFamily : public testing::Test {
 protected:
  CacheFamily() { EXPECT_EQ(cache.init(plan, memory.span()), Status::ok); }

  static typename Kind<Cache>::Plan made() {
    typename Kind<Cache>::Config config;
    config.max_sequences = 3;
    config.kv_heads = heads;
    config.head_dim = key_dim;
    config.value_dim = value_dim;
    config.max_keys = slots;
    typename Kind<Cache>::Plan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }

  /// Rows from number `first` on, of 30 that are the same for every cache.
  [[nodiscard]] ConstTensor key(std::uint32_t first = 0) const {
    ConstTensor view = bhsd(keys.data(), heads, 30, key_dim);
    view.data += std::size_t{first} * key_dim;
    return view;
  }
  [[nodiscard]] ConstTensor value(std::uint32_t first = 0) const {
    ConstTensor view = bhsd(values.data(), heads, 30, value_dim);
    view.data += std::size_t{first} * value_dim;
    return view;
  }

  /// What attention over a sequence gives, to the bit the same for caches that hold the same.
  [[nodiscard]] std::vector<float> attended(std::uint32_t sequence) const {
    constexpr AttentionPlan attention = heed::plan(AttentionConfig{heads, heads, key_dim, value_dim, slots});
    AlignedMemory arena(attention.bytes);
    std::vector<float> output(heads * 3 * value_dim);
    AttentionInputs in;
    in.query_count = 3;
    in.query = key();
    in.sequence_ids = &sequence;
    const AttentionOutputs out{.output = bhsd(output.data(), heads, 3, value_dim)};
    if constexpr (std::is_same_v<Cache, FloatKvCache>) {
      in.cache = &cache;
      EXPECT_EQ(attend(attention, arena.span(), in, out), Status::ok);
    } else {
      EXPECT_EQ(attend(attention, arena.span(), in, {.cache = &cache}, {}, out), Status::ok);
    }
    return output;
  }

  /// The same over plain tensors: `count` rows from number `first` on.
  [[nodiscard]] std::vector<float> expected(ConstTensor from_key, ConstTensor from_value, std::uint32_t count) const {
    constexpr AttentionPlan attention = heed::plan(AttentionConfig{heads, heads, key_dim, value_dim, slots});
    AlignedMemory arena(attention.bytes);
    std::vector<float> output(heads * 3 * value_dim);
    AttentionInputs in;
    in.query_count = 3;
    in.key_count = count;
    in.query = key();
    in.key = from_key;
    in.value = from_value;
    EXPECT_EQ(attend(attention, arena.span(), in, {.output = bhsd(output.data(), heads, 3, value_dim)}), Status::ok);
    return output;
  }

  Random random{3};
  std::vector<float> keys = random.normals(heads * 30 * key_dim);
  std::vector<float> values = random.normals(heads * 30 * value_dim);
  typename Kind<Cache>::Plan plan = made();
  AlignedMemory memory{plan.bytes, 0xA5};
  Cache cache;
};

using Caches = testing::Types<FloatKvCache, KvCache>;
TYPED_TEST_SUITE(CacheFamily, Caches);

TYPED_TEST(CacheFamily, CountsWhatWasAppendedAndCut) {
  TypeParam& cache = this->cache;
  const TypeParam& seen = cache;
  EXPECT_EQ(cache.append(1, 7, this->key(), this->value()), Status::ok);
  EXPECT_EQ(cache.append(1, 4, this->key(7), this->value(7)), Status::ok);
  EXPECT_EQ(seen.length(1), 11U);
  EXPECT_EQ(seen.tokens(1), 11U);
  for (std::uint32_t slot = 0; slot < 11; ++slot) EXPECT_EQ(seen.position(1, slot), slot);
  EXPECT_TRUE(same_bits(this->attended(1), this->expected(this->key(), this->value(), 11)));
  EXPECT_EQ(cache.truncate(1, 5), Status::ok);
  EXPECT_EQ(seen.tokens(1), 5U);
  EXPECT_EQ(cache.append(1, 0, {}, {}), Status::ok);
  EXPECT_TRUE(same_bits(this->attended(1), this->expected(this->key(), this->value(), 5)));
  EXPECT_EQ(cache.append(0, 2, this->key(), this->value()), Status::ok);
  EXPECT_EQ(cache.reset(1), Status::ok);
  EXPECT_EQ(seen.length(1), 0U);
  EXPECT_EQ(seen.tokens(0), 2U);
  EXPECT_EQ(seen.length(3), 0U);
  EXPECT_EQ(seen.tokens(3), 0U);
}

TYPED_TEST(CacheFamily, BindsWhatItFinds) {
  EXPECT_EQ(this->cache.append(2, 9, this->key(), this->value()), Status::ok);
  AlignedMemory copy(this->plan.bytes);
  std::memcpy(copy.span().data(), this->memory.span().data(), this->plan.bytes);
  TypeParam restored;
  EXPECT_FALSE(restored.initialised());
  EXPECT_EQ(restored.bind(this->plan, copy.span()), Status::ok);
  EXPECT_TRUE(restored.initialised());
  EXPECT_EQ(restored.tokens(2), 9U);
  EXPECT_EQ(restored.plan().bytes, this->plan.bytes);
  EXPECT_EQ(restored.init(this->plan, copy.span()), Status::ok);
  EXPECT_EQ(restored.tokens(2), 0U);
}

TYPED_TEST(CacheFamily, RotatesKeysOnTheirWay) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = key_dim, .rotary_dim = 4}, rotary.plan), Status::ok);
  const std::uint32_t own[] = {90, 3, 3, 2000000};
  EXPECT_EQ(append_rotated(this->cache, 0, 5, this->key(), this->value(), rotary), Status::ok);
  EXPECT_EQ(append_rotated(this->cache, 0, 4, this->key(5), this->value(5), rotary, own), Status::ok);
  EXPECT_EQ(append_rotated(this->cache, 0, 2, this->key(9), this->value(9), rotary), Status::ok);
  std::vector<float> rotated(this->keys.size());
  const MutableTensor to = bhsd(rotated.data(), heads, 30, key_dim);
  const std::uint32_t positions[] = {0, 1, 2, 3, 4, 90, 3, 3, 2000000, 9, 10};
  ASSERT_EQ(apply_rotary(rotary, {.heads = heads, .tokens = 11, .positions = positions}, this->key(), to), Status::ok);
  EXPECT_TRUE(same_bits(this->attended(0), this->expected(to, this->value(), 11)));
}

TYPED_TEST(CacheFamily, RefusesTheSame) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = key_dim, .max_position = 4}, rotary.plan), Status::ok);
  AlignedMemory table(rotary.plan.bytes);
  ASSERT_EQ(make_rotary_table(rotary.plan, table.span(), rotary), Status::ok);
  Rotary longer;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = key_dim + 2}, longer.plan), Status::ok);
  TypeParam& cache = this->cache;
  EXPECT_EQ(cache.append(0, 3, this->key(), this->value()), Status::ok);
  const std::vector<std::byte> before(this->memory.span().begin(), this->memory.span().end());
  const ConstTensor key = this->key();
  const ConstTensor value = this->value();
  EXPECT_EQ(cache.append(3, 1, key, value), Status::bad_sequence);
  EXPECT_EQ(cache.append(0, slots - 2, key, value), Status::cache_full);
  EXPECT_EQ(cache.append(0, 1, {}, value), Status::null_pointer);
  EXPECT_EQ(cache.append(0, 1, key, {}), Status::null_pointer);
  EXPECT_EQ(cache.truncate(0, 4), Status::bad_length);
  EXPECT_EQ(cache.truncate(3, 0), Status::bad_sequence);
  EXPECT_EQ(cache.reset(3), Status::bad_sequence);
  EXPECT_EQ(append_rotated(cache, 0, 1, key, value, longer), Status::plan_mismatch);
  EXPECT_EQ(append_rotated(cache, 0, 1, key, value, Rotary{}), Status::not_initialised);
  EXPECT_EQ(append_rotated(cache, 0, 2, key, value, rotary), Status::bad_position);
  EXPECT_EQ(append_rotated(cache, 3, 1, key, value, rotary), Status::bad_sequence);
  EXPECT_EQ(append_rotated(cache, 0, slots - 2, key, value, rotary), Status::cache_full);
  EXPECT_EQ(append_rotated(cache, 0, 1, key, {}, rotary), Status::null_pointer);
  EXPECT_EQ(std::memcmp(before.data(), this->memory.span().data(), before.size()), 0);
  TypeParam none;
  EXPECT_EQ(none.append(0, 1, key, value), Status::not_initialised);
  EXPECT_EQ(none.truncate(0, 0), Status::not_initialised);
  EXPECT_EQ(append_rotated(none, 0, 1, key, value, rotary), Status::not_initialised);
  const std::remove_cvref_t<decltype(this->plan)> no_plan;
  EXPECT_EQ(none.init(no_plan, this->memory.span()), Status::not_initialised);
  EXPECT_EQ(none.init(this->plan, this->memory.span().first(this->plan.bytes - 1)), Status::arena_too_small);
  EXPECT_EQ(none.bind(this->plan, {}), Status::null_pointer);
}

/// A cache filled by append_rotated() has the memory of one that apply_rotary() and append() filled.
void expect_rotated_as_composed(const KvCacheConfig& config, const RotaryConfig& rotation, Random& random) {
  Rotary rotary;
  ASSERT_EQ(make_plan(rotation, rotary.plan), Status::ok);
  StoredCase at_once(config);
  StoredCase composed(config);
  for (std::uint32_t call = 0; call < 4; ++call) {
    const std::uint32_t left = config.max_keys - at_once.cache.length(1);
    const std::uint32_t tokens = random.between(1, config.ring ? 2 * config.max_keys : std::max(1U, left));
    if (!config.ring && tokens > left) break;
    std::vector<float> key = rows_of_all_kinds(random, std::size_t{config.kv_heads} * tokens, config.head_dim);
    const std::vector<float> value = random.normals(std::size_t{config.kv_heads} * tokens * config.value_dim);
    if (call == 1 && !config.key_scales_per_channel) key[0] = std::numeric_limits<float>::infinity();
    const MutableTensor keys = bhsd(key.data(), config.kv_heads, tokens, config.head_dim);
    const ConstTensor values = bhsd(value.data(), config.kv_heads, tokens, config.value_dim);
    const std::uint32_t number = at_once.cache.tokens(1);
    const Status status = append_rotated(at_once.cache, 1, tokens, keys, values, rotary);
    ASSERT_EQ(
        apply_rotary(rotary, {.heads = config.kv_heads, .tokens = tokens, .first_positions = &number}, keys, keys),
        Status::ok);
    ASSERT_EQ(composed.cache.append(1, tokens, keys, values), status);
    ASSERT_EQ(std::memcmp(at_once.memory.span().data(), composed.memory.span().data(), at_once.memory.span().size()), 0)
        << name_of(config) << ", call " << call << " of " << tokens << " after " << number;
  }
}

TEST(RotatedAppend, EveryTypeHasTheMemoryOfApplyRotaryAndAppend) {
  std::uint32_t number = 0;
  for (const bool ring : {false, true}) {
    for (const std::uint32_t head_dim : {2U, 24U, 40U, 66U, 100U}) {
      KvCacheConfig config{2, 2, head_dim, 7, 20};
      config.ring = ring;
      config.sink_tokens = ring ? head_dim % 5 : 0;
      for (const KvCacheConfig& types : every_storage(config)) {
        Random random(40 + number);
        RotaryConfig rotation{.head_dim = head_dim, .layout = static_cast<RotaryLayout>(number % 2)};
        rotation.rotary_dim = 2 * random.between(1, head_dim / 2);
        expect_rotated_as_composed(types, rotation, random);
        if (HasFatalFailure()) return;
        ++number;
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
