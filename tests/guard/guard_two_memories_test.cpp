// SPDX-License-Identifier: MIT
//
// State and scratch in memories of their own, each between pages that may not be touched: the bits of one arena, over
// caches of every kind.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cache/kv_cache_cases.hpp"
#include "guard/guarded.hpp"
#include "layer/layer_case.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr std::size_t plenty = std::size_t{1} << 20;
constexpr std::uint32_t model_dim = 24;

struct Memories {
  GuardedMemory state{plenty}, scratch{plenty}, packed{plenty}, x{plenty}, y{plenty}, table{plenty};
};

/// Prefills and decodes `tokens` tokens twice, in two sequences or with a page table; what was written.
std::vector<float> stream(MultiHeadAttention& layer, Memories& memories, const std::vector<float>& values,
                          std::uint32_t tokens, Edge edge) {
  std::vector<float> written;
  std::uint32_t past[] = {0, 0};
  const std::uint32_t pages[] = {3, 0, 5, 1, 4, 2};
  const std::span<std::byte> table = memories.table.place(sizeof pages, edge);
  std::memcpy(table.data(), pages, sizeof pages);
  for (const std::uint32_t count : {tokens, 1U, tokens}) {
    const std::span<const float> x = memories.x.copy(values, std::size_t{2} * count * model_dim, edge);
    const std::span<float> y = memories.y.floats(std::size_t{2} * count * model_dim, edge);
    MultiHeadInputs in;
    in.batch = 2;
    in.tokens = count;
    in.input = dense(x.data(), count, model_dim);
    if (layer.plan().config.max_pages != 0) {
      in.page_table = reinterpret_cast<const std::uint32_t*>(table.data());
      in.past_lengths = past;
    }
    EXPECT_EQ(layer.prefill(in, {.output = dense(y.data(), count, model_dim)}), Status::ok);
    written.insert(written.end(), y.begin(), y.end());
    for (std::uint32_t& length : past) length += count;
  }
  return written;
}

void expect_bits_of_one_arena(const MultiHeadConfig& config, std::uint32_t tokens, Memories& memories) {
  Random random(tokens);
  const LayerWeights weights(
      random, completed({.model_dim = model_dim, .heads = config.heads, .kv_heads = config.kv_heads, .max_keys = 1}),
      true);
  const std::vector<float> values = random.normals(std::size_t{2} * 64 * model_dim);
  Layer one(config, weights.view());
  const MultiHeadPlan& plan = one.plan;
  ASSERT_EQ(plan.bytes, plan.state_bytes + plan.scratch_bytes);
  const auto set_scales = [&](MultiHeadAttention& layer) {
    const std::vector<float> scales(std::size_t{plan.config.kv_heads} * plan.config.head_dim, 0.02F);
    if (plan.config.key_type == DataType::int8_channels) {
      ASSERT_EQ(layer.cache().set_key_scales(scales), Status::ok);
    }
  };
  set_scales(one.layer);
  const std::vector<float> expected = stream(one.layer, memories, values, tokens, Edge::back);
  for (const Edge edge : {Edge::front, Edge::back}) {
    const std::span<std::byte> state = memories.state.place(plan.state_bytes, edge);
    const std::span<std::byte> scratch = memories.scratch.place(plan.scratch_bytes, edge);
    const std::span<std::byte> packed = memories.packed.place(plan.weights_bytes, edge);
    std::memset(state.data(), 0xFF, state.size());
    std::memset(scratch.data(), 0xFF, scratch.size());
    std::memcpy(packed.data(), one.packed.span().data(), packed.size());
    MultiHeadAttention layer;
    ASSERT_EQ(layer.init(plan, state, scratch, packed, storage_of(config)), Status::ok);
    set_scales(layer);
    ASSERT_TRUE(same_bits(stream(layer, memories, values, tokens, edge), expected));
    ASSERT_EQ(std::memcmp(state.data(), one.arena.span().data(), plan.state_bytes), 0);
  }
}

TEST(GuardTwoMemories, HaveTheBitsOfOneArena) {
  Memories memories;
  FaultReport report;
  const std::size_t step = std::min(case_divisor(), 5U);
  const std::vector<KvCacheConfig> types = every_storage({});
  for (const std::uint32_t tokens : {1U, 7U, 23U}) {
    for (std::size_t i = 0; i < types.size(); i += step) {
      for (const char* kind : {"sequences", "ring", "pages"}) {
        report.running("%s of %s, %u tokens", kind, name_of(types[i]).c_str(), tokens);
        MultiHeadConfig config{.model_dim = model_dim, .heads = 4, .kv_heads = 2, .max_keys = 47, .max_sequences = 2};
        config.scratch_budget = i % 2 == 0 ? 1 : 0;
        config.key_type = types[i].key_type;
        config.value_type = types[i].value_type;
        if (*kind == 'r') {
          config.ring = true;
          config.max_keys = 9;
          config.sink_tokens = 2;
        }
        if (*kind == 'p') {
          config.max_keys = 16;
          config.max_sequences = 6;
          config.max_pages = 3;
        }
        expect_bits_of_one_arena(config, tokens, memories);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
