// SPDX-License-Identifier: MIT
//
// No buffer of rotary positions is touched outside its bounds, and where a buffer lies does not change a bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "guard/guarded.hpp"
#include "heed/heed.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t heads = 2;
constexpr std::uint32_t tokens = 3;
constexpr std::uint32_t positions[tokens] = {0, 8, 3};

class GuardedRotary : public testing::Test {
 protected:
  void run(const RotaryConfig& config, bool with_table, Edge edge, std::vector<float>& written) {
    Rotary rotary;
    ASSERT_EQ(make_plan(config, rotary.plan), Status::ok);
    const RotaryConfig& c = rotary.plan.config;
    if (with_table) {
      // The table itself ends before its memory does; a copy ends with the guarded page.
      std::vector<float> rows(rotary.plan.bytes / sizeof(float) + arena_alignment / sizeof(float));
      const auto offset = arena_alignment - reinterpret_cast<std::uintptr_t>(rows.data()) % arena_alignment;
      const std::span<std::byte> memory = std::as_writable_bytes(std::span(rows)).subspan(offset % arena_alignment);
      ASSERT_EQ(make_rotary_table(rotary.plan, memory, rotary), Status::ok);
      const std::size_t used = std::size_t{c.max_position} * c.rotary_dim;
      rotary.table = table.copy({rotary.table, used}, used, edge).data();
    }
    const std::size_t count = std::size_t{heads} * tokens * c.head_dim;
    const ConstTensor from = bhsd(input.copy(values, count, edge).data(), heads, tokens, c.head_dim);
    const std::span<float> rotated = output.floats(count, edge);
    const std::span<std::byte> places = indices.place(sizeof positions, edge);
    std::memcpy(places.data(), positions, sizeof positions);
    const auto* const at = reinterpret_cast<const std::uint32_t*>(places.data());
    ASSERT_EQ(apply_rotary(rotary, {1, heads, tokens, at}, from, bhsd(rotated.data(), heads, tokens, c.head_dim)),
              Status::ok);
    written.assign(rotated.begin(), rotated.end());

    KvCachePlan plan;
    ASSERT_EQ(make_plan(KvCacheConfig{1, heads, c.head_dim, c.head_dim, 16}, plan), Status::ok);
    const std::span<std::byte> memory = cache_memory.place(plan.bytes, edge);
    std::memset(memory.data(), 0, memory.size());
    KvCache cache;
    ASSERT_EQ(cache.init(plan, memory), Status::ok);
    ASSERT_EQ(append_rotated(cache, 0, tokens, from, from, rotary, at), Status::ok);
    const auto* const cached = reinterpret_cast<const float*>(memory.data());
    written.insert(written.end(), cached + 16, cached + memory.size() / sizeof(float));
  }

  const GuardedMemory table{1 << 14}, input{1 << 13}, output{1 << 13}, indices{64}, cache_memory{1 << 17};
  Random random{17};
  const std::vector<float> values = random.normals(std::size_t{heads} * tokens * 140);
  FaultReport report;
};

TEST_F(GuardedRotary, StaysInsideItsBuffers) {
  for (const std::uint32_t head_dim : {2U, 3U, 16U, 30U, 32U, 34U, 64U, 66U, 99U, 130U}) {
    for (const std::uint32_t dims : {2U, 14U, 32U, 34U, 64U, 96U, 130U}) {
      for (const RotaryLayout layout : {RotaryLayout::halves, RotaryLayout::interleaved}) {
        for (const bool with_table : {false, true}) {
          if (dims > head_dim) continue;
          const RotaryConfig config{.head_dim = head_dim, .rotary_dim = dims, .layout = layout, .max_position = 9};
          std::vector<float> written[2];
          for (const Edge edge : {Edge::front, Edge::back}) {
            report.running("head_dim %u, dims %u, layout %u, table %d, %s", head_dim, dims,
                           static_cast<unsigned>(layout), with_table, edge == Edge::front ? "front" : "back");
            run(config, with_table, edge, written[edge == Edge::back]);
          }
          ASSERT_EQ(written[0].size(), written[1].size());
          EXPECT_EQ(std::memcmp(written[0].data(), written[1].data(), written[0].size() * sizeof(float)), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
