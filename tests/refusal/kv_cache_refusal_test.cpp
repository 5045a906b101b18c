// SPDX-License-Identifier: MIT
//
// Everything that a KvCache refuses, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "refusal/refusals.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

/// A cache with 10 tokens in sequence 1 of 2, and memory to spare.
struct Filled {
  AlignedMemory memory;
  std::vector<float> key, value, scales;
  KvCachePlan plan;
  KvCache cache;

  explicit Filled(KvCacheConfig config)
      : memory(1 << 16, 0xA5), key(Random(3).normals(3 * 20 * 5)), value(Random(4).normals(3 * 20 * 6)), scales(15, 1) {
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    EXPECT_EQ(cache.init(plan, memory.span().first(plan.bytes)), Status::ok);
    if (config.key_scales_per_channel) {
      EXPECT_EQ(cache.set_key_scales(scales), Status::ok);
    }
    EXPECT_EQ(cache.append(1, 10, keys(), values()), Status::ok);
  }

  [[nodiscard]] ConstTensor keys() const { return bhsd(key.data(), 3, 20, 5); }
  [[nodiscard]] ConstTensor values() const { return bhsd(value.data(), 3, 20, 6); }

  void watch(Witness& witness) const {
    witness.watch("memory", memory.span());
    witness.watch("key", key);
    witness.watch("value", value);
    witness.watch_object("cache", cache);
  }
};

constexpr KvCacheConfig of_bytes{2, 3, 5, 6, 20, DataType::int8, DataType::int4};
constexpr KvCacheConfig per_channel{2, 3, 5, 6, 20, DataType::int8, DataType::int4, true};
constexpr KvCacheConfig rolling{2, 3, 5, 6, 8, DataType::float16, DataType::float32, false, true, 2};

TEST(RefusedKvCache, InitAndBindLeaveTheObjectAndTheMemory) {
  Filled filled(of_bytes);
  const AlignedMemory other(filled.plan.bytes + 64, 0x5A);
  KvCache unbound;
  Witness witness;
  filled.watch(witness);
  witness.watch("other memory", other.span());
  witness.watch_object("unbound", unbound);
  const std::span<std::byte> good = other.span().first(filled.plan.bytes);
  for (KvCache* cache : {&filled.cache, &unbound}) {
    const auto both = [&](Status expected, const char* what, const KvCachePlan& plan, std::span<std::byte> memory) {
      witness.expect(expected, what, [&] { return cache->init(plan, memory); });
      witness.expect(expected, what, [&] { return cache->bind(plan, memory); });
    };
    both(Status::not_initialised, "a plan that was never made", {}, good);
    both(Status::null_pointer, "no memory", filled.plan, {});
    both(Status::arena_too_small, "one byte too small", filled.plan, good.first(good.size() - 1));
    both(Status::arena_misaligned, "moved by 32 bytes", filled.plan, {good.data() + 32, good.size()});
  }
  witness.expect(Status::not_initialised, "append", [&] { return unbound.append(0, 0, {}, {}); });
  witness.expect(Status::not_initialised, "truncate", [&] { return unbound.truncate(0, 0); });
  witness.expect(Status::not_initialised, "reset", [&] { return unbound.reset(0); });
  witness.expect(Status::not_initialised, "scales", [&] { return unbound.set_key_scales(filled.scales); });
  EXPECT_EQ(unbound.length(0) + unbound.tokens(0), 0U);
  EXPECT_EQ(unbound.init(filled.plan, good), Status::ok);
  EXPECT_EQ(unbound.bind(filled.plan, good), Status::ok);
}

TEST(RefusedKvCache, BindTakesNoStateThatACacheCannotLeave) {
  for (const KvCacheConfig& config : {of_bytes, per_channel, rolling}) {
    Filled filled(config);
    KvCache unbound;
    Witness witness;
    filled.watch(witness);
    witness.watch_object("unbound", unbound);
    const std::span<std::byte> memory = filled.memory.span().first(filled.plan.bytes);
    auto* tokens = reinterpret_cast<std::uint32_t*>(memory.data() + filled.plan.states.offset);
    const std::uint32_t most = config.ring ? max_tokens : config.max_keys;
    for (const std::uint32_t sequence : {0U, 1U}) {
      const std::uint32_t held = tokens[sequence];
      for (const std::uint32_t count : {most + 1, UINT32_MAX}) {
        tokens[sequence] = count;
        witness.expect(Status::bad_state, "tokens", [&] { return unbound.bind(filled.plan, memory); });
        witness.expect(Status::bad_state, "tokens", [&] { return filled.cache.bind(filled.plan, memory); });
      }
      tokens[sequence] = most;
      EXPECT_EQ(KvCache().bind(filled.plan, memory), Status::ok);
      tokens[sequence] = held;
    }
    EXPECT_EQ(unbound.bind(filled.plan, memory), Status::ok);
    EXPECT_EQ(unbound.tokens(1), 10U);
    tokens[1] = UINT32_MAX;
    EXPECT_EQ(unbound.init(filled.plan, memory), Status::ok);
    EXPECT_EQ(unbound.tokens(1), 0U);
  }
}

TEST(RefusedKvCache, BindTakesNoScalesThatAreNeverSet) {
  Filled filled(per_channel);
  Witness witness;
  filled.watch(witness);
  const std::span<std::byte> memory = filled.memory.span().first(filled.plan.bytes);
  auto* scales = reinterpret_cast<float*>(memory.data() + filled.plan.key_scales.offset);
  // One bit more than a scale has; 127 times it is infinite.
  const float longer = std::nextafter(1.0F, 2.0F);
  const float great = std::numeric_limits<float>::max() / 127;
  for (const std::size_t channel : {std::size_t{0}, std::size_t{7}, std::size_t{14}}) {
    for (const float scale : {-1.0F, -0.0F, infinity, -infinity, nan, longer, great, 0x1p122F}) {
      scales[channel] = scale;
      witness.expect(Status::bad_state, "a scale", [&] { return filled.cache.bind(filled.plan, memory); });
    }
    scales[channel] = 1.0F;
    for (const float scale : {0.0F, 0.5F, 0x1p121F}) {
      scales[channel] = scale;
      EXPECT_EQ(KvCache().bind(filled.plan, memory), Status::ok) << scale;
    }
  }
  for (std::size_t c = 0; c < 15; ++c) scales[c] = nan;
  EXPECT_EQ(KvCache().bind(filled.plan, memory), Status::ok);
  scales[14] = 1.0F;
  witness.expect(Status::bad_state, "half set", [&] { return filled.cache.bind(filled.plan, memory); });
}

/// append(): 3 tokens after the 10 that sequence 1 holds.
struct Append {
  std::uint32_t sequence = 1;
  std::uint32_t tokens = 3;
  ConstTensor key{};
  ConstTensor value{};
};

constexpr Refusal<Append> bad_appends[] = {
    {"sequence 2 of 2", Status::bad_sequence, [](Append& a) { a.sequence = 2; }},
    {"no key", Status::null_pointer, [](Append& a) { a.key.data = nullptr; }},
    {"no value", Status::null_pointer, [](Append& a) { a.value.data = nullptr; }},
    {"key rows overflow", Status::bad_stride, [](Append& a) { a.key.row_stride = far; }},
    {"value heads overflow", Status::bad_stride, [](Append& a) { a.value.head_stride = -far; }},
};

TEST(RefusedKvCache, AppendAndTruncateLeaveEveryByte) {
  for (const KvCacheConfig& config : {of_bytes, per_channel, rolling}) {
    Filled filled(config);
    Witness witness;
    filled.watch(witness);
    const auto refuse = [&](Status expected, const char* what, const Append& a) {
      witness.expect(expected, what, [&] { return filled.cache.append(a.sequence, a.tokens, a.key, a.value); });
    };
    const Append good{1, 3, filled.keys(), filled.values()};
    for (const Refusal<Append>& refusal : bad_appends) {
      Append spoilt = good;
      refusal.spoil(spoilt);
      refuse(refusal.expected, refusal.what, spoilt);
    }
    const Status full = config.ring ? Status::too_large : Status::cache_full;
    if (!config.ring) refuse(full, "one token too many", {1, 11, good.key, good.value});
    refuse(full, "as many tokens as there are not", {1, max_tokens - 9, good.key, good.value});
    refuse(full, "2^32 - 1 tokens", {1, UINT32_MAX, good.key, good.value});
    if (config.ring) refuse(Status::null_pointer, "the last token that counts", {1, max_tokens - 10, {}, good.value});
    witness.expect(Status::bad_length, "truncate to more", [&] { return filled.cache.truncate(1, 11); });
    witness.expect(Status::bad_length, "truncate an empty one", [&] { return filled.cache.truncate(0, 1); });
    witness.expect(Status::bad_sequence, "truncate sequence 2", [&] { return filled.cache.truncate(2, 0); });
    if (config.ring) {
      witness.expect(Status::bad_length, "overwritten", [&] { return filled.cache.truncate(1, 9); });
      witness.expect(Status::bad_length, "overwritten", [&] { return filled.cache.truncate(1, 3); });
    }
    EXPECT_EQ(filled.cache.append(1, 0, {}, {}), Status::ok);
    EXPECT_EQ(filled.cache.append(1, 10, good.key, good.value), Status::ok);
    EXPECT_EQ(filled.cache.tokens(1), 20U);
    EXPECT_EQ(filled.cache.truncate(1, 20), Status::ok);
    EXPECT_EQ(filled.cache.truncate(1, 2), Status::ok);
    EXPECT_EQ(filled.cache.length(1), 2U);
    EXPECT_EQ(filled.cache.reset(1), Status::ok);
    EXPECT_EQ(filled.cache.tokens(1), 0U);
    EXPECT_EQ(filled.cache.tokens(2), 0U);
  }
}

TEST(RefusedKvCache, AppendReadsOneBatchEntryAndNoMore) {
  Filled filled(of_bytes);
  for (const std::ptrdiff_t batch_stride : {far, std::numeric_limits<std::ptrdiff_t>::min(), std::ptrdiff_t{0}}) {
    ConstTensor key = filled.keys();
    ConstTensor value = filled.values();
    key.batch_stride = value.batch_stride = batch_stride;
    EXPECT_EQ(filled.cache.append(0, 3, key, value), Status::ok) << batch_stride;
    // One token has no second row.
    key.row_stride = value.row_stride = batch_stride;
    EXPECT_EQ(filled.cache.append(0, 1, key, value), Status::ok) << batch_stride;
  }
  EXPECT_EQ(filled.cache.tokens(0), 12U);
}

TEST(RefusedKvCache, KeysThatScalesPerChannelCannotHold) {
  Filled filled(per_channel);
  Witness witness;
  filled.watch(witness);
  for (const float x : {nan, infinity, -infinity}) {
    filled.key[2 * 20 * 5 + 12] = x;  // head 2, token 2
    witness.expect(Status::not_finite, "a key that is not finite",
                   [&] { return filled.cache.append(0, 3, filled.keys(), filled.values()); });
    EXPECT_EQ(filled.cache.append(0, 2, filled.keys(), filled.values()), Status::ok);
    EXPECT_EQ(filled.cache.reset(0), Status::ok);
  }
}

TEST(RefusedKvCache, ScalesPerChannel) {
  Filled other(of_bytes);
  Filled filled(per_channel);
  Witness witness;
  other.watch(witness);
  filled.watch(witness);
  witness.expect(Status::plan_mismatch, "not per channel", [&] { return other.cache.set_key_scales(other.scales); });
  witness.expect(Status::not_empty, "not empty", [&] { return filled.cache.set_key_scales(filled.scales); });
  ASSERT_EQ(filled.cache.reset(1), Status::ok);
  ASSERT_EQ(filled.cache.append(0, 1, filled.keys(), filled.values()), Status::ok);
  witness.expect(Status::not_empty, "the first one not empty",
                 [&] { return filled.cache.set_key_scales(filled.scales); });
  ASSERT_EQ(filled.cache.init(filled.plan, filled.memory.span()), Status::ok);
  const std::span<const float> scales = filled.scales;
  witness.expect(Status::bad_scale, "not set",
                 [&] { return filled.cache.append(0, 1, filled.keys(), filled.values()); });
  witness.expect(Status::null_pointer, "none", [&] { return filled.cache.set_key_scales({}); });
  witness.expect(Status::bad_length, "one less", [&] { return filled.cache.set_key_scales(scales.first(14)); });
  for (const float x : {nan, infinity, -1.0F, -0x1p-149F, std::numeric_limits<float>::max(), 0x1.02041p+121F}) {
    filled.scales[14] = x;
    witness.expect(Status::bad_scale, "a bad scale", [&] { return filled.cache.set_key_scales(filled.scales); });
  }
  for (const float x : {0.0F, -0.0F, 0x1p-149F, 0x1p121F, 0x1.0204p+121F}) {
    filled.scales[14] = x;
    EXPECT_EQ(filled.cache.set_key_scales(filled.scales), Status::ok) << x;
  }
}

}  // namespace
}  // namespace heed::test
