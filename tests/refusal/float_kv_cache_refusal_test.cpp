// SPDX-License-Identifier: MIT
//
// Everything that a FloatKvCache refuses, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "refusal/refusals.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

FloatKvCachePlan plan_of_two_sequences() {
  FloatKvCachePlan plan;
  EXPECT_EQ(make_plan(FloatKvCacheConfig{2, 3, 5, 6, 20}, plan), Status::ok);
  return plan;
}

/// Memory that a cache can be bound to, and ways to get it wrong.
struct Binding {
  FloatKvCachePlan plan;
  std::span<std::byte> memory;
};

constexpr Refusal<Binding> bad_bindings[] = {
    {"a plan that was never made", Status::not_initialised, [](Binding& b) { b.plan = {}; }},
    {"no memory", Status::null_pointer, [](Binding& b) { b.memory = {}; }},
    {"memory one byte too small", Status::arena_too_small,
     [](Binding& b) { b.memory = b.memory.first(b.memory.size() - 1); }},
    {"memory moved by 4 bytes", Status::arena_misaligned,
     [](Binding& b) {
       b.memory = {b.memory.data() + 4, b.memory.size()};
     }},
    {"memory moved by 32 bytes", Status::arena_misaligned,
     [](Binding& b) {
       b.memory = {b.memory.data() + 32, b.memory.size()};
     }},
};

TEST(RefusedFloatKvCache, InitAndBindLeaveTheObjectAndTheMemory) {
  const FloatKvCachePlan plan = plan_of_two_sequences();
  const AlignedMemory memory(plan.bytes + 64, 0xA5);
  const AlignedMemory other(plan.bytes + 64, 0x5A);
  const Binding good{plan, memory.span().first(plan.bytes)};
  Random random(2);
  const std::vector<float> rows = random.normals(3 * 20 * 6);

  FloatKvCache unbound;
  FloatKvCache bound;
  ASSERT_EQ(bound.init(plan, other.span().first(plan.bytes)), Status::ok);
  ASSERT_EQ(bound.append(0, 4, bhsd(rows.data(), 3, 20, 5), bhsd(rows.data(), 3, 20, 6)), Status::ok);
  Witness witness;
  witness.watch("memory", memory.span());
  witness.watch("memory bound before", other.span());
  witness.watch_object("unbound cache", unbound);
  witness.watch_object("bound cache", bound);
  for (FloatKvCache* cache : {&unbound, &bound}) {
    for (const Refusal<Binding>& refusal : bad_bindings) {
      Binding spoilt = good;
      refusal.spoil(spoilt);
      witness.expect(refusal.expected, refusal.what, [&] { return cache->init(spoilt.plan, spoilt.memory); });
      witness.expect(refusal.expected, refusal.what, [&] { return cache->bind(spoilt.plan, spoilt.memory); });
    }
  }
  EXPECT_FALSE(unbound.initialised());
  EXPECT_EQ(bound.length(0), 4U);
  EXPECT_EQ(unbound.init(plan, good.memory), Status::ok);
  EXPECT_EQ(bound.bind(plan, good.memory), Status::ok);
}

TEST(RefusedFloatKvCache, BindTakesNoStateThatACacheCannotLeave) {
  const FloatKvCachePlan plan = plan_of_two_sequences();
  const AlignedMemory memory(plan.bytes, 0xA5);
  const AlignedMemory other(plan.bytes, 0);
  FloatKvCache bound;
  FloatKvCache unbound;
  ASSERT_EQ(bound.init(plan, other.span()), Status::ok);
  Witness witness;
  witness.watch("memory", memory.span());
  witness.watch("memory bound before", other.span());
  witness.watch_object("bound cache", bound);
  witness.watch_object("unbound cache", unbound);
  auto* lengths = reinterpret_cast<std::uint32_t*>(memory.span().data() + plan.lengths.offset);
  for (const std::uint32_t sequence : {0U, 1U}) {
    for (const std::uint32_t length : {21U, 100000U, 0x80000000U, UINT32_MAX}) {
      lengths[sequence] = length;
      lengths[1 - sequence] = 20;
      witness.expect(Status::bad_state, "unbound", [&] { return unbound.bind(plan, memory.span()); });
      witness.expect(Status::bad_state, "bound", [&] { return bound.bind(plan, memory.span()); });
    }
  }
  lengths[0] = lengths[1] = 20;
  const std::vector<std::byte> before(memory.span().begin(), memory.span().end());
  EXPECT_EQ(bound.bind(plan, memory.span()), Status::ok);
  EXPECT_EQ(std::memcmp(before.data(), memory.span().data(), before.size()), 0);
  EXPECT_EQ(bound.length(1), 20U);
  lengths[1] = UINT32_MAX;
  EXPECT_EQ(bound.init(plan, memory.span()), Status::ok);
  EXPECT_EQ(bound.length(1), 0U);
}

TEST(RefusedFloatKvCache, WithoutMemoryNothingWorks) {
  FloatKvCache cache;
  const std::vector<float> rows(200, 1.0F);
  const ConstTensor view = bhsd(rows.data(), 3, 1, 6);
  Witness witness;
  witness.watch_object("cache", cache);
  witness.expect(Status::not_initialised, "append", [&] { return cache.append(0, 1, view, view); });
  witness.expect(Status::not_initialised, "append nothing", [&] { return cache.append(0, 0, {}, {}); });
  witness.expect(Status::not_initialised, "truncate", [&] { return cache.truncate(0, 0); });
  witness.expect(Status::not_initialised, "reset", [&] { return cache.reset(0); });
  EXPECT_EQ(cache.length(0), 0U);
  EXPECT_FALSE(cache.initialised());
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
    {"sequence 2^32 - 1", Status::bad_sequence, [](Append& a) { a.sequence = UINT32_MAX; }},
    {"one token too many", Status::cache_full, [](Append& a) { a.tokens = 11; }},
    {"2^32 - 1 tokens", Status::cache_full, [](Append& a) { a.tokens = UINT32_MAX; }},
    {"no key", Status::null_pointer, [](Append& a) { a.key.data = nullptr; }},
    {"no value", Status::null_pointer, [](Append& a) { a.value.data = nullptr; }},
    {"key rows overflow", Status::bad_stride, [](Append& a) { a.key.row_stride = far; }},
    {"key heads overflow", Status::bad_stride, [](Append& a) { a.key.head_stride = far / 8; }},
    {"value rows overflow backwards", Status::bad_stride, [](Append& a) { a.value.row_stride = -far; }},
    {"value heads overflow", Status::bad_stride, [](Append& a) { a.value.head_stride = far; }},
};

TEST(RefusedFloatKvCache, AppendReadsOneBatchEntryAndNoMore) {
  const FloatKvCachePlan plan = plan_of_two_sequences();
  const AlignedMemory memory(plan.bytes);
  const std::vector<float> rows(3 * 20 * 6, 1.0F);
  FloatKvCache cache;
  ASSERT_EQ(cache.init(plan, memory.span()), Status::ok);
  for (const std::ptrdiff_t batch_stride : {far, -far - 1, std::ptrdiff_t{0}}) {
    EXPECT_EQ(cache.append(0, 3, {rows.data(), batch_stride, 100, 5}, {rows.data(), batch_stride, 120, 6}), Status::ok)
        << batch_stride;
  }
  EXPECT_EQ(cache.length(0), 9U);
}

TEST(RefusedFloatKvCache, AppendTruncateAndResetLeaveEveryByte) {
  const FloatKvCachePlan plan = plan_of_two_sequences();
  const AlignedMemory memory(plan.bytes, 0xA5);
  Random random(3);
  const std::vector<float> key = random.normals(3 * 20 * 5);
  const std::vector<float> value = random.normals(3 * 20 * 6);
  const Append good{1, 3, bhsd(key.data(), 3, 20, 5), bhsd(value.data(), 3, 20, 6)};
  FloatKvCache cache;
  ASSERT_EQ(cache.init(plan, memory.span()), Status::ok);
  ASSERT_EQ(cache.append(1, 10, good.key, good.value), Status::ok);

  Witness witness;
  witness.watch("memory", memory.span());
  witness.watch("key", key);
  witness.watch("value", value);
  witness.watch_object("cache", cache);
  for (const Refusal<Append>& refusal : bad_appends) {
    Append spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what,
                   [&] { return cache.append(spoilt.sequence, spoilt.tokens, spoilt.key, spoilt.value); });
  }
  witness.expect(Status::bad_length, "truncate to more", [&] { return cache.truncate(1, 11); });
  witness.expect(Status::bad_length, "truncate to 2^32 - 1", [&] { return cache.truncate(1, UINT32_MAX); });
  witness.expect(Status::bad_length, "truncate an empty sequence", [&] { return cache.truncate(0, 1); });
  witness.expect(Status::bad_sequence, "truncate sequence 2", [&] { return cache.truncate(2, 0); });
  witness.expect(Status::bad_sequence, "reset sequence 2", [&] { return cache.reset(2); });
  EXPECT_EQ(cache.length(0), 0U);
  EXPECT_EQ(cache.length(1), 10U);
  EXPECT_EQ(cache.length(2), 0U);

  EXPECT_EQ(cache.append(1, 0, {}, {}), Status::ok);
  EXPECT_EQ(cache.length(1), 10U);
  EXPECT_EQ(cache.append(1, 10, good.key, good.value), Status::ok);
  EXPECT_EQ(cache.length(1), 20U);
  EXPECT_EQ(cache.truncate(1, 20), Status::ok);
  EXPECT_EQ(cache.truncate(1, 7), Status::ok);
  EXPECT_EQ(cache.length(1), 7U);
  EXPECT_EQ(cache.reset(1), Status::ok);
  EXPECT_EQ(cache.length(1), 0U);
}

}  // namespace
}  // namespace heed::test
