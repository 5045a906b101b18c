// SPDX-License-Identifier: MIT
//
// Everything that attend() over a KvCache refuses, status by status, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "heed/cache.hpp"
#include "heed/options.hpp"
#include "refusal/refusals.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t one[] = {1};
constexpr std::uint32_t three[] = {3};
constexpr std::uint32_t lengths_20[] = {20};
constexpr std::uint32_t lengths_21[] = {21};
constexpr std::uint32_t lengths_39[] = {39};
constexpr std::uint32_t lengths_40[] = {40};
constexpr std::uint32_t lengths_49[] = {49};
constexpr std::uint32_t pages_ok[] = {1, 0, 3};
constexpr std::uint32_t pages_unknown[] = {1, 5, 3};
constexpr std::uint32_t pages_wild[] = {1, 0, UINT32_MAX};
constexpr std::uint32_t pages_wrapped[] = {1, 4, 3};
constexpr std::int32_t offset_7[] = {7};

/// attend() of one batch entry of 2 queries, with 4 heads on 2 of 16 channels and at most 48 keys.
struct StoredCall {
  AttentionPlan plan;
  std::span<std::byte> arena;
  AttentionInputs in;
  AttentionOptions options;
  AttentionOutputs out;

  [[nodiscard]] Status operator()() const { return attend(plan, arena, in, options, out); }
  [[nodiscard]] Status without_options() const { return attend(plan, arena, in, out); }

  void look_up(const KvCache& cache, const std::uint32_t* table) {
    in.cache = &cache;
    in.page_table = table;
    in.max_pages = 3;
  }
};

/// A cache and how many tokens each of its sequences holds.
struct Held : BuiltCache {
  Held(const KvCacheConfig& config, const std::vector<std::uint32_t>& tokens, const KvPages* pages = nullptr,
       const KvRing& ring = kv_ring_with_positions)
      : BuiltCache(config, with(storage_of(config, ring), pages)) {
    const std::vector<float> rows = Random(5).normals(std::size_t{70} * config.kv_heads * 48);
    for (std::uint32_t sequence = 0; sequence < tokens.size(); ++sequence) {
      const std::uint32_t value_dim = plan.config.value_dim;
      EXPECT_EQ(cache.append(sequence, tokens[sequence],
                             bhsd(rows.data(), config.kv_heads, tokens[sequence], config.head_dim),
                             bhsd(rows.data(), config.kv_heads, tokens[sequence], value_dim)),
                Status::ok);
    }
  }

  static KvStorage with(KvStorage storage, const KvPages* pages) {
    storage.pages = pages;
    return storage;
  }
};

constexpr KvCacheConfig kind{3, 2, 16, 16, 60, 0, DataType::int8, DataType::int4};

constexpr KvCacheConfig ring_of(std::uint32_t sequences, std::uint32_t slots, std::uint32_t kept) {
  return {sequences, 2, 16, 16, slots, kept, DataType::float16, DataType::int8, 1};
}

class RefusedKvCacheAttention : public testing::Test {
 protected:
  RefusedKvCacheAttention() {
    EXPECT_EQ(make_plan(AttentionConfig{4, 2, 16, 16, 48, 2, 1}, call.plan), Status::ok);
    call.arena = arena.span().first(call.plan.bytes);
    call.in.query_count = 2;
    call.in.query = bhsd<const float>(query.data(), 4, 2, 16);
    call.in.cache = &straight.cache;
    call.out.output = bhsd(output.data(), 4, 2, 16);
    call.out.scores = bhsd(scores.data(), 4, 2, 48);
    call.out.log_sum_exp = log_sum_exp.data();
    witness.watch("arena", arena.span());
    witness.watch("output", output);
    witness.watch("scores", scores);
    witness.watch("log-sum-exp", log_sum_exp);
    for (const Held* held : {&straight, &ring, &decoded_ring, &paged, &unpaged, &odd, &wide}) {
      witness.watch("cache memory", held->memory.span());
      witness.watch_object("cache object", held->cache);
    }
  }

  void refuse(Status expected, const char* what, const auto& spoil) {
    StoredCall spoilt = call;
    spoil(spoilt);
    witness.expect(expected, what, spoilt);
  }

  void allow(const char* what, const auto& change) {
    StoredCall changed = call;
    change(changed);
    EXPECT_EQ(changed(), Status::ok) << what;
  }

  Held straight{kind, {20, 33, 50}};
  Held ring{ring_of(2, 32, 4), {20, 70}};
  Held decoded_ring{ring_of(2, 32, 4), {20, 70}, nullptr, kv_ring};
  Held paged{ring_of(5, 16, 0), {16, 16, 15, 7, 20}, &kv_pages, kv_ring};
  Held unpaged{ring_of(5, 16, 0), {16, 16, 15, 7, 20}};
  Held odd{{3, 2, 16, 16, 20, 0, DataType::int8, DataType::int8}, {20, 20}, &kv_pages};
  Held wide{{1, 1, 1, 17, 20, 0, DataType::float32, DataType::bfloat16}, {20}};
  std::vector<float> query = Random(1).normals(4 * 2 * 16);
  std::vector<float> output = std::vector<float>(4 * 2 * 17, -7.0F);
  std::vector<float> scores = std::vector<float>(4 * 2 * 48, -7.0F);
  std::vector<float> log_sum_exp = std::vector<float>(4 * 2, -7.0F);
  std::vector<float> heads = std::vector<float>(4, 0.5F);
  AlignedMemory arena{1 << 16, 0xA5};
  StoredCall call;
  Witness witness;
};

TEST_F(RefusedKvCacheAttention, CachesThatDoNotFit) {
  const KvCache unbound;
  const Held other_heads({1, 4, 16, 16, 20}, {20}), other_keys({1, 2, 8, 16, 20}, {20}),
      other_values({1, 2, 16, 8, 20}, {20});
  refuse(Status::not_initialised, "a cache without memory", [&](StoredCall& c) { c.in.cache = &unbound; });
  refuse(Status::plan_mismatch, "other heads", [&](StoredCall& c) { c.in.cache = &other_heads.cache; });
  refuse(Status::plan_mismatch, "other keys", [&](StoredCall& c) { c.in.cache = &other_keys.cache; });
  refuse(Status::plan_mismatch, "other values", [&](StoredCall& c) { c.in.cache = &other_values.cache; });
  refuse(Status::bad_sequence, "sequence 3 of 3", [](StoredCall& c) { c.in.sequence_ids = three; });
  refuse(Status::keys_exceed_plan, "50 keys of 48", [](StoredCall& c) {
    static constexpr std::uint32_t two[] = {2};
    c.in.sequence_ids = two;
  });
  refuse(Status::bad_length, "21 keys of 20", [](StoredCall& c) { c.in.key_lengths = lengths_21; });
  allow("all as it should be", [](StoredCall&) {});
  allow("all 20 keys", [](StoredCall& c) { c.in.key_lengths = lengths_20; });
  allow("keys and values of the inputs are not read", [](StoredCall& c) {
    c.in.key_count = UINT32_MAX;
    c.in.key = c.in.value = {nullptr, 1, 1, 1};
    c.in.max_pages = UINT32_MAX;
  });
}

TEST_F(RefusedKvCacheAttention, ValuesLongerThanTheRoomToDequantizeThem) {
  EXPECT_EQ(make_plan(AttentionConfig{1, 1, 1, 17, 48, 1, 1}, call.plan), Status::ok);
  call.arena = arena.span().first(call.plan.bytes);
  call.out.output = bhsd(output.data(), 1, 2, 17);
  call.in.cache = &wide.cache;
  refuse(Status::plan_mismatch, "17 in the room of 16", [](StoredCall&) {});
  const Held floats({1, 1, 1, 17, 20, 0, DataType::int8, DataType::float32}, {20});
  allow("floats are not dequantized", [&](StoredCall& c) { c.in.cache = &floats.cache; });
}

using Change = void (*)(StoredCall&);
constexpr float slopes[] = {1, 1, 1, 1};

/// Masks that the inputs have, for which the order of tokens matters.
constexpr Change ordered_inputs[] = {
    [](StoredCall& c) { c.in.causal = Causal::top_left; },
    [](StoredCall& c) { c.in.causal = Causal::offset; },
    [](StoredCall& c) { c.in.causal = Causal::bottom_right; },
    [](StoredCall& c) {
      c.in.causal = Causal::top_left;
      c.in.query_count = 1;
    },
};

/// Options that do so.
constexpr Change ordered_options[] = {
    [](StoredCall& c) { c.options.left_window = 4; },
    [](StoredCall& c) { c.options.left_window = 1; },
    [](StoredCall& c) { c.options.right_window = 4; },
    [](StoredCall& c) { c.options.right_window = 1; },
    [](StoredCall& c) { c.options.alibi_slopes = slopes; },
    [](StoredCall& c) {
      c.options.relative_bias = {slopes, 0, 1, 1};
    },
};

std::vector<Change> all_that_is_ordered() {
  std::vector<Change> all(std::begin(ordered_inputs), std::end(ordered_inputs));
  all.insert(all.end(), std::begin(ordered_options), std::end(ordered_options));
  return all;
}

/// What counts in tokens is taken in a ring that has wrapped around, too; as a page such a sequence is refused.
TEST_F(RefusedKvCacheAttention, PositionsInARingThatHasWrapped) {
  call.in.cache = &ring.cache;
  for (const Change change : all_that_is_ordered()) {
    allow("the order is that of time", change);
    const auto wrapped = [=](StoredCall& c) {
      change(c);
      c.in.sequence_ids = one;
    };
    allow("slots are not in the order of time", wrapped);
    refuse(Status::bad_option, "a window above 2^31", [=](StoredCall& c) {
      wrapped(c);
      c.options.left_window = (1U << 31) + 1;
    });
    refuse(Status::bad_length, "33 keys of 32", [=](StoredCall& c) {
      wrapped(c);
      static constexpr std::uint32_t lengths_33[] = {33};
      c.in.key_lengths = lengths_33;
    });
    refuse(Status::ring_wrapped, "as a page", [=, this](StoredCall& c) {
      change(c);
      c.look_up(paged.cache, pages_wrapped);
      c.in.key_lengths = lengths_39;
    });
  }
}

/// Whether the ring has wrapped around or not: what a call needs does not depend on how long a stream is.
TEST_F(RefusedKvCacheAttention, PositionsInARingThatDoesNotKnowThem) {
  call.in.cache = &decoded_ring.cache;
  for (const std::uint32_t* const sequences : {static_cast<const std::uint32_t*>(nullptr), one}) {
    call.in.sequence_ids = sequences;
    for (const Change change : all_that_is_ordered()) refuse(Status::missing_format, "positions", change);
    for (const Change change : ordered_inputs) {
      StoredCall changed = call;
      change(changed);
      witness.expect(Status::missing_format, "positions", [&] { return changed.without_options(); });
      changed.in.cache = &ring.cache;
      EXPECT_EQ(changed.without_options(), Status::ok);
    }
    allow("softmax does not mind", [](StoredCall&) {});
    allow("one query that sees all", [](StoredCall& c) {
      c.in.causal = Causal::bottom_right;
      c.in.query_count = 1;
    });
    allow("caps, sinks and offsets that hide nothing", [this](StoredCall& c) {
      c.options.softcap = 9.0F;
      c.options.sink_logits = heads.data();
      c.options.causal_offsets = offset_7;
    });
    EXPECT_EQ(call.without_options(), Status::ok);
  }
}

TEST_F(RefusedKvCacheAttention, Pages) {
  call.look_up(paged.cache, pages_ok);
  call.in.key_lengths = lengths_39;
  refuse(Status::missing_format, "a cache without pages", [this](StoredCall& c) { c.in.cache = &unpaged.cache; });
  call.in.cache = &unpaged.cache;
  witness.expect(Status::missing_format, "a cache without pages", [this] { return call.without_options(); });
  call.in.cache = &paged.cache;
  EXPECT_EQ(call.without_options(), Status::ok);
  for (const Change change : all_that_is_ordered()) allow("pages are in the order of time", change);
  refuse(Status::null_pointer, "no lengths", [](StoredCall& c) { c.in.key_lengths = nullptr; });
  refuse(Status::plan_mismatch, "pages of 20", [this](StoredCall& c) { c.in.cache = &odd.cache; });
  refuse(Status::bad_length, "the last page holds 7", [](StoredCall& c) { c.in.key_lengths = lengths_40; });
  refuse(Status::bad_length, "more pages than columns", [](StoredCall& c) { c.in.max_pages = 2; });
  refuse(Status::bad_length, "no columns", [](StoredCall& c) { c.in.max_pages = 0; });
  refuse(Status::bad_length, "one key more than the columns hold", [](StoredCall& c) {
    static constexpr std::uint32_t full[] = {0, 1, 0};
    c.in.page_table = full;
    c.in.key_lengths = lengths_49;
  });
  refuse(Status::keys_exceed_plan, "49 keys of 48", [](StoredCall& c) {
    static constexpr std::uint32_t full[] = {0, 1, 0, 3};
    c.in.page_table = full;
    c.in.max_pages = 4;
    c.in.key_lengths = lengths_49;
  });
  refuse(Status::bad_sequence, "page 5 of 5", [](StoredCall& c) { c.in.page_table = pages_unknown; });
  refuse(Status::bad_sequence, "page 2^32 - 1", [](StoredCall& c) { c.in.page_table = pages_wild; });
  refuse(Status::ring_wrapped, "a page that has wrapped", [](StoredCall& c) { c.in.page_table = pages_wrapped; });
  allow("39 keys in three pages", [](StoredCall& c) { c.in.sequence_ids = three; });
  allow("pages that are not needed are not read", [](StoredCall& c) {
    c.in.key_lengths = lengths_20;
    c.in.page_table = pages_wild;
  });
}

TEST_F(RefusedKvCacheAttention, WhatIsRefusedOfEveryCall) {
  refuse(Status::not_initialised, "a plan that was never made", [](StoredCall& c) { c.plan = {}; });
  refuse(Status::null_pointer, "no arena", [](StoredCall& c) { c.arena = {}; });
  refuse(Status::arena_too_small, "a byte less", [](StoredCall& c) { c.arena = c.arena.first(c.arena.size() - 1); });
  refuse(Status::arena_misaligned, "moved", [](StoredCall& c) { c.arena = {c.arena.data() + 32, c.arena.size()}; });
  refuse(Status::bad_sequence, "the second batch entry", [](StoredCall& c) {
    static constexpr std::uint32_t sequences[] = {1, 3};
    c.in.batch = 2;
    c.in.sequence_ids = sequences;
  });
  refuse(Status::null_pointer, "no query", [](StoredCall& c) { c.in.query.data = nullptr; });
  refuse(Status::bad_scale, "scale NaN", [](StoredCall& c) { c.in.scale = nan; });
  refuse(Status::null_pointer, "no output", [](StoredCall& c) { c.out.output.data = nullptr; });
  refuse(Status::bad_stride, "score rows overlap", [](StoredCall& c) { c.out.scores.row_stride = 19; });
  refuse(Status::bad_option, "softcap NaN", [](StoredCall& c) { c.options.softcap = nan; });
  refuse(Status::bad_option, "window", [](StoredCall& c) { c.options.left_window = (1U << 31) + 1; });
  allow("score rows just long enough", [](StoredCall& c) { c.out.scores.row_stride = 20; });
}

}  // namespace
}  // namespace heed::test
