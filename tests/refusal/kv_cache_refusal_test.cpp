// SPDX-License-Identifier: MIT
//
// What calls of a KvCache refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <limits>

#include "refusal/filled_cache.hpp"

namespace heed::test {
namespace {

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
    {"no key", Status::null_pointer, [](Append& a) { a.key.data = nullptr; }},
    {"no value", Status::null_pointer, [](Append& a) { a.value.data = nullptr; }},
    {"key rows overflow", Status::bad_stride, [](Append& a) { a.key.row_stride = far; }},
    {"key heads overflow", Status::bad_stride, [](Append& a) { a.key.head_stride = far / 8; }},
    {"value rows overflow backwards", Status::bad_stride, [](Append& a) { a.value.row_stride = -far; }},
    {"value heads overflow", Status::bad_stride, [](Append& a) { a.value.head_stride = far; }},
    {"value heads overflow backwards", Status::bad_stride, [](Append& a) { a.value.head_stride = -far; }},
};

TEST(RefusedKvCache, AppendAndTruncateLeaveEveryByte) {
  for (const KvCacheConfig& config : all_kinds) {
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
    witness.expect(Status::bad_length, "to 2^32 - 1", [&] { return filled.cache.truncate(1, UINT32_MAX); });
    witness.expect(Status::bad_length, "truncate an empty one", [&] { return filled.cache.truncate(0, 1); });
    witness.expect(Status::bad_sequence, "truncate sequence 2", [&] { return filled.cache.truncate(2, 0); });
    witness.expect(Status::bad_sequence, "reset sequence 2", [&] { return filled.cache.reset(2); });
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

void expect_one_entry_read(const KvCacheConfig& config) {
  Filled filled(config);
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

TEST(RefusedKvCache, AppendReadsOneBatchEntryAndNoMore) {
  for (const KvCacheConfig& config : all_kinds) expect_one_entry_read(config);
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
  ASSERT_EQ(filled.cache.init(filled.plan, filled.used(), filled.storage), Status::ok);
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
