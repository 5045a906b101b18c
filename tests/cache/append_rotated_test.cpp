// SPDX-License-Identifier: MIT
//
// Keys are rotated on their way into a cache, whatever it stores.
#include <gtest/gtest.h>

#include <cstring>

#include "cache/kv_cache_cases.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

/// A cache filled by append_rotated() has the memory of one that apply_rotary() and append() filled.
void expect_rotated_as_composed(const KvCacheConfig& config, const RotaryConfig& rotation, Random& random) {
  Rotary rotary;
  ASSERT_EQ(make_plan(rotation, rotary.plan), Status::ok);
  StoredCase at_once(config);
  StoredCase composed(config);
  for (std::uint32_t call = 0; call < 4; ++call) {
    const std::uint32_t left = config.max_keys - at_once.cache.length(1);
    const std::uint32_t tokens = random.between(1, config.ring ? 2 * config.max_keys : std::max(1U, left));
    if (!config.ring && tokens > left) break;
    std::vector<float> key = rows_of_all_kinds(random, std::size_t{config.kv_heads} * tokens, config.head_dim);
    const std::vector<float> value = random.normals(std::size_t{config.kv_heads} * tokens * config.value_dim);
    if (call == 1 && config.key_type != DataType::int8_channels) key[0] = std::numeric_limits<float>::infinity();
    const MutableTensor keys = bhsd(key.data(), config.kv_heads, tokens, config.head_dim);
    const ConstTensor values = bhsd(value.data(), config.kv_heads, tokens, config.value_dim);
    const std::uint32_t number = at_once.cache.tokens(1);
    std::vector<std::uint32_t> own(tokens);
    for (std::uint32_t& position : own) position = random.between(0, 1) == 0 ? 3 : random.between(0, 2000000);
    const std::uint32_t* positions = call == 2 ? own.data() : nullptr;
    const Status status = append_rotated(at_once.cache, 1, tokens, keys, values, rotary, positions);
    RotaryPositions places{.heads = config.kv_heads, .tokens = tokens, .positions = positions};
    if (positions == nullptr) places.first_positions = &number;
    ASSERT_EQ(apply_rotary(rotary, places, keys, keys), Status::ok);
    ASSERT_EQ(composed.cache.append(1, tokens, keys, values), status);
    ASSERT_EQ(std::memcmp(at_once.memory.span().data(), composed.memory.span().data(), at_once.memory.span().size()), 0)
        << name_of(config) << ", call " << call << " of " << tokens << " after " << number;
  }
}

TEST(RotatedAppend, EveryTypeHasTheMemoryOfApplyRotaryAndAppend) {
  std::uint32_t number = 0;
  for (const bool ring : {false, true}) {
    for (const std::uint32_t head_dim : {2U, 24U, 40U, 66U, 100U}) {
      KvCacheConfig config{2, 2, head_dim, 7, 20};
      config.ring = ring;
      config.sink_tokens = ring ? head_dim % 5 : 0;
      for (const KvCacheConfig& types : every_storage(config)) {
        Random random(40 + number);
        RotaryConfig rotation{.head_dim = head_dim, .layout = static_cast<RotaryLayout>(number % 2)};
        rotation.rotary_dim = 2 * random.between(1, head_dim / 2);
        expect_rotated_as_composed(types, rotation, random);
        if (HasFatalFailure()) return;
        ++number;
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
