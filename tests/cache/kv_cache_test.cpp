// SPDX-License-Identifier: MIT
//
// The stored cache against its definition: every storage type to the bit, however the tokens came, wherever the memory
// is.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cache/kv_cache_cases.hpp"
#include "heed/cache.hpp"

namespace heed::test {
namespace {

struct Shape {
  std::uint32_t sequences, kv_heads, head_dim, value_dim, max_keys;
};

constexpr Shape shapes[] = {{1, 1, 1, 1, 1},    {2, 2, 16, 16, 16}, {1, 2, 33, 31, 17},
                            {2, 1, 64, 80, 50}, {1, 1, 32, 48, 64}, {1, 3, 100, 3, 33}};

std::vector<KvCacheConfig> every_config() {
  std::vector<KvCacheConfig> result;
  for (const Shape& s : shapes) {
    const auto some = every_storage({s.sequences, s.kv_heads, s.head_dim, s.value_dim, s.max_keys});
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

/// How far a dequantized number may be from x.
double half_a_step(DataType storage, float x, const Stored& stored) {
  const double magnitude = std::fabs(static_cast<double>(x));
  switch (storage) {
    case DataType::float32: return 0.0;
    case DataType::float16: return std::max(magnitude * 0x1p-11, 0x1p-25);
    case DataType::bfloat16: return std::max(magnitude * 0x1p-8, 0x1p-134);
    case DataType::int8:
    case DataType::int4:
    case DataType::int8_channels: return 0.5 * static_cast<double>(stored.scale) * (1 + 0x1p-16);
    default: break;
  }
  return 0.0;
}

void expect_row(DataType storage, const std::vector<Stored>& expected, const std::vector<Stored>& found,
                const float* given, bool clamps) {
  for (std::size_t d = 0; d < expected.size(); ++d) {
    const Stored& e = expected[d];
    ASSERT_TRUE(bits_of(e.dequantized) == bits_of(found[d].dequantized) ||
                (std::isnan(e.dequantized) && std::isnan(found[d].dequantized)))
        << given[d] << " became " << found[d].dequantized << " instead of " << e.dequantized;
    ASSERT_EQ(e.q, found[d].q) << given[d];
    ASSERT_EQ(bits_of(e.scale), bits_of(found[d].scale)) << given[d];
    const bool overflows = std::isinf(e.dequantized) && std::fabs(given[d]) >= 65520.0F;
    if (clamps || overflows) continue;
    ASSERT_LE(std::fabs(static_cast<double>(found[d].dequantized) - static_cast<double>(given[d])),
              half_a_step(storage, given[d], e))
        << given[d];
  }
}

TEST(KvCache, HoldsAndGivesBackWhatTheDefinitionSays) {
  Random random(11);
  for (const KvCacheConfig& config : every_config()) {
    SCOPED_TRACE(name_of(config));
    StoredCase c(config);
    const std::uint32_t rows = config.kv_heads * config.max_keys;
    for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
      const std::vector<float> key = rows_of_all_kinds(random, rows, config.head_dim);
      const std::vector<float> value = rows_of_all_kinds(random, rows, config.value_dim);
      ASSERT_EQ(
          c.cache.append(sequence, config.max_keys, bhsd(key.data(), config.kv_heads, config.max_keys, config.head_dim),
                         bhsd(value.data(), config.kv_heads, config.max_keys, config.value_dim)),
          Status::ok);
      for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
        const Expanded floats = expanded(c.cache, sequence, head);
        for (std::uint32_t slot = 0; slot < config.max_keys; ++slot) {
          const std::size_t row = std::size_t{head} * config.max_keys + slot;
          std::vector<Stored> keys, values;
          for (std::uint32_t d = 0; d < config.head_dim; ++d) {
            keys.push_back(stored_key(c.cache, sequence, head, slot, d));
            ASSERT_TRUE(same_number(floats.keys[std::size_t{slot} * config.head_dim + d], keys[d].dequantized));
          }
          for (std::uint32_t d = 0; d < c.plan.value_width; ++d) {
            const Stored stored = stored_value(c.cache, sequence, head, slot, d);
            const float dequantized = floats.values[std::size_t{slot} * c.plan.value_width + d];
            ASSERT_TRUE(same_number(dequantized, stored.dequantized));
            if (d < config.value_dim) {
              values.push_back(stored);
            } else {
              ASSERT_EQ(dequantized, 0.0F);
            }
          }
          const float* given = key.data() + row * config.head_dim;
          expect_row(config.key_type, stored_row(config.key_type, given, config.head_dim, c.scales_of(head)), keys,
                     given, config.key_type == DataType::int8_channels);
          given = value.data() + row * config.value_dim;
          expect_row(config.value_type, stored_row(config.value_type, given, config.value_dim), values, given, false);
        }
      }
    }
    EXPECT_TRUE(c.nothing_behind());
  }
}

TEST(KvCache, IsTheSameInChunksOneByOneAndInAnyLayout) {
  Random random(12);
  for (KvCacheConfig config : every_storage({2, 3, 40, 24, 61})) {
    SCOPED_TRACE(name_of(config));
    for (const bool ring : {false, true}) {
      config.ring = ring;
      config.sink_tokens = ring ? 5 : 0;
      const std::uint32_t tokens = ring ? 200 : 61;
      const std::vector<float> key = rows_of_all_kinds(random, 3 * tokens, 40);
      const std::vector<float> value = rows_of_all_kinds(random, 3 * tokens, 24);
      const std::vector<float> key_swapped = swap_heads_and_rows(key, 1, 3, tokens, 40);
      const std::vector<float> value_swapped = swap_heads_and_rows(value, 1, 3, tokens, 24);
      const ConstTensor keys = bhsd(key.data(), 3, tokens, 40);
      const ConstTensor values = bhsd(value.data(), 3, tokens, 24);
      const ConstTensor keys_by_row = bshd(key_swapped.data(), 3, tokens, 40);
      const ConstTensor values_by_row = bshd(value_swapped.data(), 3, tokens, 24);
      StoredCase whole(config);
      StoredCase single(config);
      StoredCase chunks(config);
      ASSERT_EQ(whole.cache.append(1, tokens, keys, values), Status::ok);
      const auto append = [&](StoredCase& c, std::uint32_t first, std::uint32_t count, bool by_row) {
        ConstTensor k = by_row ? keys_by_row : keys;
        ConstTensor v = by_row ? values_by_row : values;
        k.data = k.row(0, 0, first);
        v.data = v.row(0, 0, first);
        ASSERT_EQ(c.cache.append(1, count, k, v), Status::ok);
      };
      for (std::uint32_t t = 0; t < tokens; ++t) append(single, t, 1, t % 2 == 0);
      for (std::uint32_t t = 0; t < tokens;) {
        const std::uint32_t count = std::min(random.between(1, 90), tokens - t);
        append(chunks, t, count, true);
        t += count;
      }
      EXPECT_EQ(std::memcmp(whole.memory.span().data(), single.memory.span().data(), whole.plan.bytes + 64), 0);
      EXPECT_EQ(std::memcmp(whole.memory.span().data(), chunks.memory.span().data(), whole.plan.bytes + 64), 0);
      EXPECT_TRUE(whole.nothing_behind());
      EXPECT_EQ(whole.cache.tokens(0), 0U);
      EXPECT_EQ(whole.cache.tokens(1), tokens);
      EXPECT_EQ(whole.cache.length(1), 61U);
    }
  }
}

TEST(KvCache, CountsWhatWasAppendedAndCut) {
  Random random(15);
  for (const KvCacheConfig& config : every_storage({3, 2, 6, 5, 20})) {
    SCOPED_TRACE(name_of(config));
    const std::vector<float> key = random.normals(2 * 30 * 6), value = random.normals(2 * 30 * 5);
    const auto append = [&](StoredCase& c, std::uint32_t sequence, std::uint32_t first, std::uint32_t tokens) {
      ConstTensor keys = bhsd(key.data(), 2, 30, 6), values = bhsd(value.data(), 2, 30, 5);
      keys.data = keys.row(0, 0, first);
      values.data = values.row(0, 0, first);
      EXPECT_EQ(c.cache.append(sequence, tokens, keys, values), Status::ok);
    };
    const auto expect_tokens = [](const StoredCase& c, std::uint32_t sequence, std::uint32_t tokens) {
      EXPECT_EQ(c.cache.tokens(sequence), tokens);
      EXPECT_EQ(c.cache.length(sequence), tokens);
      for (std::uint32_t slot = 0; slot < tokens; ++slot) EXPECT_EQ(c.cache.position(sequence, slot), slot);
    };
    StoredCase c(config), five(config);
    append(c, 1, 0, 7);
    append(c, 1, 7, 4);
    expect_tokens(c, 1, 11);
    ASSERT_EQ(c.cache.truncate(1, 5), Status::ok);
    expect_tokens(c, 1, 5);
    ASSERT_EQ(c.cache.append(1, 0, {}, {}), Status::ok);
    append(five, 1, 0, 5);
    for (StoredCase* one : {&c, &five}) append(*one, 1, 20, 3);
    expect_tokens(c, 1, 8);
    for (const std::uint32_t head : {0U, 1U}) {
      EXPECT_TRUE(same_bits(expanded(c.cache, 1, head).keys, expanded(five.cache, 1, head).keys));
      EXPECT_TRUE(same_bits(expanded(c.cache, 1, head).values, expanded(five.cache, 1, head).values));
    }
    append(c, 0, 0, 2);
    ASSERT_EQ(c.cache.reset(1), Status::ok);
    expect_tokens(c, 1, 0);
    expect_tokens(c, 0, 2);
    expect_tokens(c, 3, 0);
  }
}

TEST(KvCache, ASnapshotLivesOnElsewhere) {
  Random random(13);
  for (KvCacheConfig config : every_storage({2, 2, 20, 36, 40})) {
    SCOPED_TRACE(name_of(config));
    config.ring = true;
    config.sink_tokens = 3;
    StoredCase first(config);
    const std::vector<float> key = rows_of_all_kinds(random, 2 * 70, 20);
    const std::vector<float> value = rows_of_all_kinds(random, 2 * 70, 36);
    const ConstTensor keys = bhsd(key.data(), 2, 70, 20);
    const ConstTensor values = bhsd(value.data(), 2, 70, 36);
    ASSERT_EQ(first.cache.append(0, 70, keys, values), Status::ok);
    ASSERT_EQ(first.cache.append(1, 9, keys, values), Status::ok);

    const AlignedMemory elsewhere(first.plan.bytes, 0);
    std::memcpy(elsewhere.span().data(), first.memory.span().data(), first.plan.bytes);
    KvCache restored;
    EXPECT_FALSE(restored.initialised());
    ASSERT_EQ(restored.bind(first.plan, elsewhere.span(), first.storage), Status::ok);
    EXPECT_TRUE(restored.initialised());
    EXPECT_EQ(&restored.plan(), &first.plan);
    for (std::uint32_t sequence = 0; sequence < 2; ++sequence) {
      EXPECT_EQ(restored.tokens(sequence), first.cache.tokens(sequence));
      for (std::uint32_t slot = 0; slot < restored.length(sequence); ++slot) {
        EXPECT_EQ(restored.position(sequence, slot), first.cache.position(sequence, slot));
      }
      for (std::uint32_t head = 0; head < 2; ++head) {
        const Expanded a = expanded(first.cache, sequence, head);
        const Expanded b = expanded(restored, sequence, head);
        EXPECT_TRUE(same_bits(a.keys, b.keys));
        EXPECT_TRUE(same_bits(a.values, b.values));
      }
      ASSERT_EQ(first.cache.append(sequence, 33, keys, values), Status::ok);
      ASSERT_EQ(restored.append(sequence, 33, keys, values), Status::ok);
    }
    EXPECT_EQ(std::memcmp(elsewhere.span().data(), first.memory.span().data(), first.plan.bytes), 0);
  }
}

TEST(KvCache, NanAndInfinityStayInTheirScale) {
  constexpr float strange[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity()};
  Random random(14);
  for (const DataType storage : {DataType::int8, DataType::int4}) {
    for (const float x : strange) {
      StoredCase clean({1, 2, 70, 70, 20, 0, storage, storage});
      StoredCase spoilt({1, 2, 70, 70, 20, 0, storage, storage});
      std::vector<float> rows = random.normals(2 * 20 * 70);
      const ConstTensor view = bhsd<const float>(rows.data(), 2, 20, 70);
      ASSERT_EQ(clean.cache.append(0, 20, view, view), Status::ok);
      rows[(20 + 13) * 70 + 40] = x;  // head 1, token 13, channel 40
      ASSERT_EQ(spoilt.cache.append(0, 20, view, view), Status::ok);
      for (std::uint32_t head = 0; head < 2; ++head) {
        const Expanded a = expanded(clean.cache, 0, head);
        const Expanded b = expanded(spoilt.cache, 0, head);
        for (std::uint32_t slot = 0; slot < 20; ++slot) {
          for (std::uint32_t d = 0; d < 70; ++d) {
            const bool shares_scale = storage == DataType::int8 || (d >= 32 && d < 64);
            if (head == 1 && slot == 13 && shares_scale) {
              EXPECT_TRUE(std::isnan(b.keys[slot * 70 + d]) && std::isnan(b.values[slot * 80 + d]));
            } else {
              EXPECT_EQ(bits_of(a.keys[slot * 70 + d]), bits_of(b.keys[slot * 70 + d]));
              EXPECT_EQ(bits_of(a.values[slot * 80 + d]), bits_of(b.values[slot * 80 + d]));
            }
          }
        }
      }
    }
  }
}

TEST(KvCache, ScalesPerChannelClampWhatTheyDoNotReach) {
  StoredCase c({.head_dim = 4, .max_keys = 3, .key_type = DataType::int8_channels});
  const float scales[] = {1.0F, 0.1F, 0.0F, 0x1p-140F};
  ASSERT_EQ(c.cache.set_key_scales(scales), Status::ok);
  const float key[] = {1000.0F, -1e30F, 5.0F, 1.0F, -0.5F, 0.15F, -1.0F, 0x1p-140F, 1.5F, -12.0F, 0.0F, -0x1.8p-139F};
  ASSERT_EQ(c.cache.append(0, 3, bhsd(key, 1, 3, 4), bhsd(key, 1, 3, 4)), Status::ok);
  const int expected[] = {127, -127, 0, 127, 0, 1, 0, 1, 2, -120, 0, -3};
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(stored_key(c.cache, 0, 0, i / 4, i % 4).q, expected[i]) << i;
  EXPECT_EQ(bits_of(stored_key(c.cache, 0, 0, 0, 1).scale), 0x3DCCCD00U);  // 0.1 is 0x3DCCCCCD
}

}  // namespace
}  // namespace heed::test
