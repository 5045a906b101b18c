// SPDX-License-Identifier: MIT
//
// What init() and bind() of a KvCache refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "refusal/filled_cache.hpp"

namespace heed::test {
namespace {

/// Memory that a cache can be bound to, and ways to get it wrong.
struct Binding {
  KvCachePlan plan;
  std::span<std::byte> memory;
  KvStorage storage;
};

constexpr Refusal<Binding> bad_bindings[] = {
    {"a plan that was never made", Status::not_initialised, [](Binding& b) { b.plan = {}; }},
    {"no memory", Status::null_pointer, [](Binding& b) { b.memory = {}; }},
    {"one byte too small", Status::arena_too_small, [](Binding& b) { b.memory = b.memory.first(b.memory.size() - 1); }},
    {"moved by 4 bytes", Status::arena_misaligned,
     [](Binding& b) {
       b.memory = {b.memory.data() + 4, b.memory.size()};
     }},
    {"moved by 32 bytes", Status::arena_misaligned,
     [](Binding& b) {
       b.memory = {b.memory.data() + 32, b.memory.size()};
     }},
};

/// init() and bind() of a cache that is bound, and of one that is not, with memory that is good.
template <class Try>
void for_each_binding(const KvCacheConfig& config, const Try& attempt) {
  Filled filled(config);
  const AlignedMemory other(filled.plan.bytes + 64, 0x5A);
  KvCache unbound;
  Witness witness;
  filled.watch(witness);
  witness.watch("other memory", other.span());
  witness.watch_object("unbound", unbound);
  const Binding good{filled.plan, other.span().first(filled.plan.bytes), filled.storage};
  for (KvCache* cache : {&filled.cache, &unbound}) {
    attempt(good, [&](Status expected, const char* what, const Binding& b) {
      witness.expect(expected, what, [&] { return cache->init(b.plan, b.memory, b.storage); });
      witness.expect(expected, what, [&] { return cache->bind(b.plan, b.memory, b.storage); });
    });
  }
  EXPECT_FALSE(unbound.initialised());
  EXPECT_EQ(filled.cache.tokens(1), 10U);
  EXPECT_EQ(unbound.init(good.plan, good.memory, good.storage), Status::ok);
  EXPECT_EQ(filled.cache.bind(good.plan, good.memory, good.storage), Status::ok);
}

TEST(RefusedKvCache, InitAndBindLeaveTheObjectAndTheMemory) {
  for (const KvCacheConfig& config : all_kinds) {
    for_each_binding(config, [](const Binding& good, const auto& refuse) {
      for (const Refusal<Binding>& refusal : bad_bindings) {
        Binding spoilt = good;
        refusal.spoil(spoilt);
        refuse(refusal.expected, refusal.what, spoilt);
      }
    });
  }
}

/// Formats that store other types, and those of weights, which store nothing.
constexpr const Format* every_format[] = {
    &float16_cache,   &bfloat16_cache,   &int8_cache,   &int4_cache,         &int8_channel_keys,
    &float16_weights, &bfloat16_weights, &int8_weights, &int8_group_weights, &int4_group_weights,
    nullptr};

TEST(RefusedKvCache, WhatAPlanNeedsAndNobodyNames) {
  for (const DataType key : key_types) {
    for (const DataType value : value_types) {
      const KvCacheConfig config{2, 3, 5, 6, 8, 2, key, value, 1};
      for_each_binding(config, [&](const Binding& good, const auto& refuse) {
        Binding spoilt = good;
        spoilt.storage.ring = nullptr;
        refuse(Status::missing_format, "no ring", spoilt);
        for (std::size_t at = 0; at < 2; ++at) {
          const Format* const needed = good.storage.formats[at];
          for (const Format* const format : every_format) {
            if (needed == nullptr || format == needed) continue;
            spoilt.storage = good.storage;
            spoilt.storage.formats[at] = format;
            refuse(Status::missing_format, "another format", spoilt);
          }
        }
      });
    }
  }
}

TEST(RefusedKvCache, WhatIsNamedBesidesAndInAnyOrderIsTaken) {
  Filled filled(of_bytes);
  const std::span<std::byte> memory = filled.used();
  for (const KvStorage& storage : {KvStorage{.formats = {&int4_cache, nullptr, &int8_cache}},
                                   KvStorage{.formats = {&int8_weights, &int4_cache, &int8_cache}},
                                   KvStorage{.formats = {&int8_cache, &int4_cache, &int8_channel_keys},
                                   .ring = &kv_ring_with_positions,
                                   .pages = &kv_pages}}) {
    EXPECT_EQ(filled.cache.bind(filled.plan, memory, storage), Status::ok);
    EXPECT_EQ(filled.cache.append(0, 1, filled.keys(), filled.values()), Status::ok);
  }
  Filled plain(of_floats);
  EXPECT_EQ(plain.cache.bind(plain.plan, plain.used()), Status::ok);
}

TEST(RefusedKvCache, WithoutMemoryNothingWorks) {
  KvCache cache;
  const std::vector<float> scales(15, 1.0F);
  const ConstTensor rows = bhsd(scales.data(), 3, 1, 5);
  Witness witness;
  witness.watch_object("cache", cache);
  witness.expect(Status::not_initialised, "append", [&] { return cache.append(0, 1, rows, rows); });
  witness.expect(Status::not_initialised, "append nothing", [&] { return cache.append(0, 0, {}, {}); });
  witness.expect(Status::not_initialised, "truncate", [&] { return cache.truncate(0, 0); });
  witness.expect(Status::not_initialised, "reset", [&] { return cache.reset(0); });
  witness.expect(Status::not_initialised, "scales", [&] { return cache.set_key_scales(scales); });
  EXPECT_EQ(cache.length(0) + cache.tokens(0), 0U);
}

TEST(RefusedKvCache, BindTakesNoStateThatACacheCannotLeave) {
  for (const KvCacheConfig& config : all_kinds) {
    Filled filled(config);
    KvCache unbound;
    Witness witness;
    filled.watch(witness);
    witness.watch_object("unbound", unbound);
    const std::span<std::byte> memory = filled.used();
    auto* tokens = reinterpret_cast<std::uint32_t*>(memory.data() + filled.plan.states.offset);
    const std::uint32_t most = config.ring ? max_tokens : config.max_keys;
    for (const std::uint32_t sequence : {0U, 1U}) {
      const std::uint32_t held = tokens[sequence];
      for (const std::uint32_t count : {most + 1, 0x80000000U, UINT32_MAX}) {
        tokens[sequence] = count;
        witness.expect(Status::bad_state, "tokens", [&] { return unbound.bind(filled.plan, memory, filled.storage); });
        witness.expect(Status::bad_state, "tokens",
                       [&] { return filled.cache.bind(filled.plan, memory, filled.storage); });
      }
      tokens[sequence] = most;
      EXPECT_EQ(KvCache().bind(filled.plan, memory, filled.storage), Status::ok);
      tokens[sequence] = held;
    }
    EXPECT_EQ(unbound.bind(filled.plan, memory, filled.storage), Status::ok);
    EXPECT_EQ(unbound.tokens(1), 10U);
    tokens[1] = UINT32_MAX;
    EXPECT_EQ(unbound.init(filled.plan, memory, filled.storage), Status::ok);
    EXPECT_EQ(unbound.tokens(1), 0U);
  }
}

TEST(RefusedKvCache, BindTakesNoScalesThatAreNeverSet) {
  Filled filled(per_channel);
  Witness witness;
  filled.watch(witness);
  const std::span<std::byte> memory = filled.used();
  auto* scales = reinterpret_cast<float*>(memory.data() + filled.plan.key_scales.offset);
  // One bit more than a scale has; 127 times it is infinite.
  const float longer = std::nextafter(1.0F, 2.0F);
  const float great = std::numeric_limits<float>::max() / 127;
  for (const std::size_t channel : {std::size_t{0}, std::size_t{7}, std::size_t{14}}) {
    for (const float scale : {-1.0F, -0.0F, infinity, -infinity, nan, longer, great, 0x1p122F}) {
      scales[channel] = scale;
      witness.expect(Status::bad_state, "a scale",
                     [&] { return filled.cache.bind(filled.plan, memory, filled.storage); });
    }
    scales[channel] = 1.0F;
    for (const float scale : {0.0F, 0.5F, 0x1p121F}) {
      scales[channel] = scale;
      EXPECT_EQ(KvCache().bind(filled.plan, memory, filled.storage), Status::ok) << scale;
    }
  }
  for (std::size_t c = 0; c < 15; ++c) scales[c] = nan;
  EXPECT_EQ(KvCache().bind(filled.plan, memory, filled.storage), Status::ok);
  scales[14] = 1.0F;
  witness.expect(Status::bad_state, "half set", [&] { return filled.cache.bind(filled.plan, memory, filled.storage); });
}

/// The scales of values in a ring that is full and of a sequence that is not; those of keys, and of slots without a
/// key, may be anything.
TEST(RefusedKvCache, BindTakesNoScalesThatValuesInIntegersNeverHave) {
  for (const KvCacheConfig& config : {in_integers, rolling_in_integers}) {
    Filled filled(config);
    Witness witness;
    filled.watch(witness);
    const std::span<std::byte> memory = filled.used();
    const std::size_t rows = (config.max_keys + 15) / 16 * 16;
    const std::size_t held = std::min(10U, config.max_keys);
    auto* const scales = reinterpret_cast<float*>(memory.data() + filled.plan.value_scales.offset);
    auto* const key_scales = reinterpret_cast<float*>(memory.data() + filled.plan.key_scales.offset);
    const auto bind = [&] { return filled.cache.bind(filled.plan, memory, filled.storage); };
    for (std::size_t head = 0; head < 3; ++head) {
      float* const of_head = scales + (3 + head) * rows;
      for (const std::size_t slot : {std::size_t{0}, std::size_t{4}, held - 1}) {
        const float good = of_head[slot];
        for (const float scale : {-1.0F, -0.0F, -0x1p-149F, infinity, -infinity}) {
          of_head[slot] = scale;
          witness.expect(Status::bad_state, "a scale", bind);
        }
        for (const float scale : {nan, -nan, 0.0F, 0x1p-149F, std::numeric_limits<float>::max()}) {
          of_head[slot] = scale;
          EXPECT_EQ(bind(), Status::ok) << scale;
        }
        of_head[slot] = good;
      }
      of_head[held] = -1.0F;
      scales[head * rows] = -1.0F;
      key_scales[(3 + head) * rows] = -1.0F;
      EXPECT_EQ(bind(), Status::ok) << "no key has it, or it is that of a key";
    }
  }
}

}  // namespace
}  // namespace heed::test
