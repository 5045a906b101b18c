// SPDX-License-Identifier: MIT
//
// A score modifier over caches: the bits of their dequantized floats, and rings in so far as the order of their slots
// does not matter.
#include <cstring>

#include "cache/kv_cache_twin.hpp"
#include "options/score_mod_case.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

/// Something else for every score.
constexpr auto of_its_place = [](float score, std::uint32_t b, std::uint32_t head, std::uint32_t query,
                                 std::uint32_t key) noexcept -> float {
  return score * 0.5F + static_cast<float>((b * 7 + head * 5 + query * 3 + key) % 11) * 0.25F;
};

/// A cache with every key and value of the inputs, which a ring takes `laps` times.
struct Filled : BuiltCache {
  Filled(const KvCacheConfig& config, const AttentionInputs& inputs, std::uint32_t laps = 1,
         const KvRing& ring = kv_ring)
      : BuiltCache(config, storage_of(config, ring)) {
    for (std::uint32_t b = 0; b < batch; ++b) {
      ConstTensor key = inputs.key, value = inputs.value;
      key.data = key.row(b, 0, 0);
      value.data = value.row(b, 0, 0);
      for (std::uint32_t lap = 0; lap < laps; ++lap) EXPECT_EQ(cache.append(b, keys, key, value), Status::ok);
    }
  }

  void look_up(AttentionInputs& inputs) const {
    inputs.cache = &cache;
    inputs.key = inputs.value = {};
    inputs.key_count = 0;
  }
};

TEST_F(ModifierTest, HasTheBitsOfADequantizedCache) {
  const std::vector<float> slopes = {0.5F, 0.25F, 0.125F, 0.0625F};
  AttentionOptions options;
  options.softcap = 2.0F;
  options.left_window = 201;
  options.alibi_slopes = slopes.data();
  const AttentionInputs tensors = inputs_;
  for (const DataType type : {DataType::float32, DataType::int8}) {
    inputs_ = tensors;
    const Filled filled({batch, kv_heads, dim, dim, keys, 0, type, type}, tensors);
    for (std::size_t e = 0; e < key_.size(); ++e) {
      const auto d = static_cast<std::uint32_t>(e % dim), slot = static_cast<std::uint32_t>(e / dim % keys);
      const auto stream = static_cast<std::uint32_t>(e / dim / keys);
      key_[e] = stored_key(filled.cache, stream / kv_heads, stream % kv_heads, slot, d).dequantized;
      value_[e] = stored_value(filled.cache, stream / kv_heads, stream % kv_heads, slot, d).dequantized;
    }
    std::vector<float> scores, expected_scores;
    want(expected_scores, ScoreStage::masked);
    const std::vector<float> expected = run(options, of_its_place);
    want(scores, ScoreStage::masked);
    filled.look_up(inputs_);
    EXPECT_TRUE(same_bits(run(options, of_its_place), expected));
    EXPECT_TRUE(same_bits(scores, expected_scores));
  }
}

TEST_F(ModifierTest, OverARingWhereTheOrderDoesNotMatter) {
  inputs_.causal = Causal::none;
  AttentionOptions options;
  options.softcap = 2.0F;
  const std::vector<float> expected = run(options, of_its_place);
  const Filled twice({batch, kv_heads, dim, dim, keys, 0, DataType::float32, DataType::float32, 1}, inputs_, 2);
  twice.look_up(inputs_);
  EXPECT_TRUE(same_bits(run(options, of_its_place), expected));
}

TEST_F(ModifierTest, RefusesARingWhereTheOrderMatters) {
  const KvCacheConfig ring{batch, kv_heads, dim, dim, keys, 0, DataType::int8, DataType::float32, 1};
  const AttentionInputs tensors = inputs_;
  const Filled once(ring, tensors, 1, kv_ring_with_positions), twice(ring, tensors, 2, kv_ring_with_positions),
      decoded(ring, tensors, 2);
  const std::vector<float> numbers(heads, 0.5F);
  const AlignedMemory arena(plan_.bytes, 0x5A);
  std::vector<float> output(batch * heads * queries * dim);
  AttentionOutputs outputs;
  outputs.output = bhsd(output.data(), heads, queries, dim);
  const auto expect = [&](auto change) {
    AttentionOptions options;
    inputs_ = tensors;
    inputs_.causal = Causal::none;
    change(options);
    const auto call = [&](const Filled& filled) {
      filled.look_up(inputs_);
      return attend_with_score_mod(plan_, arena.span(), inputs_, options, outputs, of_its_place);
    };
    output.assign(output.size(), -1.0F);
    std::memset(arena.span().data(), 0x5A, plan_.bytes);
    EXPECT_EQ(call(twice), Status::ring_wrapped);
    EXPECT_EQ(call(decoded), Status::missing_format);
    for (const float value : output) ASSERT_EQ(value, -1.0F);
    for (const std::byte byte : arena.span()) ASSERT_EQ(byte, std::byte{0x5A});
    EXPECT_EQ(call(once), Status::ok);
  };
  expect([&](AttentionOptions&) { inputs_.causal = Causal::bottom_right; });
  expect([](AttentionOptions& options) { options.left_window = 401; });
  expect([](AttentionOptions& options) { options.right_window = 4; });
  expect([&](AttentionOptions& options) { options.alibi_slopes = numbers.data(); });
  expect([&](AttentionOptions& options) { options.relative_bias = {numbers.data(), 0, 1, 1}; });
}

}  // namespace
}  // namespace heed::test
