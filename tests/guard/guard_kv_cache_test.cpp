// SPDX-License-Identifier: MIT
//
// Neither storing nor dequantizing touches a byte outside the cache's memory, the rows given or the floats asked for.
#include <gtest/gtest.h>

#include <cstring>

#include "cache/kv_cache_cases.hpp"
#include "guard/guarded.hpp"

namespace heed::test {
namespace {

class GuardedStoredCache : public testing::Test {
 protected:
  /// Fills a cache whose memory is between forbidden pages, and dequantizes the last sequence's last head.
  void run(const KvCacheConfig& config, Edge edge) {
    KvCachePlan plan;
    ASSERT_EQ(make_plan(config, plan), Status::ok);
    KvCache cache;
    ASSERT_EQ(cache.init(plan, memory.place(plan.bytes, edge), storage_of(config)), Status::ok);
    if (config.key_type == DataType::int8_channels) {
      const std::size_t count = std::size_t{config.kv_heads} * config.head_dim;
      ASSERT_EQ(cache.set_key_scales(scales.copy(numbers, count, edge)), Status::ok);
    }
    const std::size_t rows = std::size_t{config.kv_heads} * config.max_keys;
    const float* key = keys.copy(numbers, rows * config.head_dim, edge).data();
    const float* value = values.copy(numbers, rows * config.value_dim, edge).data();
    for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
      ASSERT_EQ(cache.append(sequence, config.max_keys, bhsd(key, config.kv_heads, config.max_keys, config.head_dim),
                             bhsd(value, config.kv_heads, config.max_keys, config.value_dim)),
                Status::ok);
    }
    const std::uint32_t sequence = config.max_sequences - 1;
    const std::uint32_t head = config.kv_heads - 1;
    const std::uint32_t last = config.max_keys - 1;
    if (const Format* const format = detail::CacheAccess::key_format(cache); format != nullptr) {
      float* const to = staged.floats(std::size_t{16} * config.head_dim, edge).data();
      for (std::uint32_t slot = last % 16; slot <= last; slot += 16) {
        const detail::StoredNumbers panel = detail::key_panel(cache, sequence, head, slot);
        format->dequantize_panel(panel.numbers, panel.scales, config.head_dim, to);
      }
      EXPECT_TRUE(same_number(to[last % 16], stored_key(cache, sequence, head, last, 0).dequantized));
    }
    if (const Format* const format = detail::CacheAccess::value_format(cache); format != nullptr) {
      const detail::StoredNumbers row = detail::value_row(cache, sequence, head, 0);
      float* const to = staged.floats(std::size_t{config.max_keys} * plan.value_width, edge).data();
      format->dequantize_rows(row.numbers, row.scales, config.max_keys, config.value_dim, to);
      EXPECT_TRUE(same_number(to[std::size_t{last} * plan.value_width],
                              stored_value(cache, sequence, head, last, 0).dequantized));
    }
  }

  static constexpr std::size_t most = std::size_t{3} * 65 * 144;
  Random random{31};
  std::vector<float> numbers = [this] {
    std::vector<float> result = random.normals(most);
    for (float& x : result) x = std::fabs(x);
    return result;
  }();
  GuardedMemory memory{std::size_t{1} << 19}, scales{most * 4}, keys{most * 4}, values{most * 4}, staged{most * 4};
  FaultReport report;
};

TEST_F(GuardedStoredCache, StaysInsideItsBuffers) {
  for (const std::uint32_t dim : {1U, 3U, 16U, 31U, 32U, 33U, 64U, 96U, 129U}) {
    for (const std::uint32_t slots : {1U, 15U, 16U, 17U, 64U, 65U}) {
      for (const std::uint32_t heads : {1U, 3U}) {
        for (const KvCacheConfig& config : every_storage({2, heads, dim, (dim + 40) % 131, slots})) {
          report.running("%s, %u heads", name_of(config).c_str(), heads);
          for (const Edge edge : {Edge::front, Edge::back}) {
            run(config, edge);
            ASSERT_FALSE(HasFailure());
          }
        }
      }
    }
  }
}

/// Of all the bytes that a restored cache starts from, the token counts alone say where the next token goes.
TEST_F(GuardedStoredCache, RestoredBytesDoNotLeadOutOfIt) {
  for (const bool ring : {false, true}) {
    const KvCacheConfig config{1, 1, 5, 6, 40, ring ? 3U : 0U, DataType::float16, DataType::int8, ring};
    KvCachePlan plan;
    ASSERT_EQ(make_plan(config, plan), Status::ok);
    for (const Edge edge : {Edge::front, Edge::back}) {
      for (const std::uint32_t tokens : {7U, 39U, 100000U, max_tokens - 1}) {
        if (tokens > 40 && !ring) continue;
        report.running("%u tokens restored", tokens);
        const std::span<std::byte> bytes = memory.place(plan.bytes, edge);
        std::memset(bytes.data(), 0xFF, bytes.size());
        std::memcpy(bytes.data() + plan.states.offset, &tokens, sizeof tokens);
        KvCache cache;
        ASSERT_EQ(cache.bind(plan, bytes, storage_of(config)), Status::ok);
        const float* row = keys.copy(numbers, 6, edge).data();
        ASSERT_EQ(cache.append(0, 1, {row, 0, 0, 0}, {row, 0, 0, 0}), Status::ok);
        const std::uint32_t slot = tokens < 40 ? tokens : 3 + (tokens - 3) % 37;
        EXPECT_EQ(cache.position(0, slot), tokens);
        EXPECT_NEAR(stored_key(cache, 0, 0, slot, 0).dequantized, row[0], row[0] * 0x1p-10F);
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
