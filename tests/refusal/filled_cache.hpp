// SPDX-License-Identifier: MIT
//
// Caches of every kind that hold something, and all that a refused call might change.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "refusal/refusals.hpp"
#include "support/built_cache.hpp"

namespace heed::test {

/// A cache with 10 tokens in sequence 1 of 2.
struct Filled : BuiltCache {
  std::vector<float> key = Random(3).normals(3 * 20 * 5);
  std::vector<float> value = Random(4).normals(3 * 20 * 6);
  std::vector<float> scales = std::vector<float>(15, 1.0F);

  explicit Filled(const KvCacheConfig& config) : BuiltCache(config) {
    if (config.key_type == DataType::int8_channels) {
      EXPECT_EQ(cache.set_key_scales(scales), Status::ok);
    }
    EXPECT_EQ(cache.append(1, 10, keys(), values()), Status::ok);
  }

  [[nodiscard]] ConstTensor keys() const { return bhsd(key.data(), 3, 20, 5); }
  [[nodiscard]] ConstTensor values() const { return bhsd(value.data(), 3, 20, 6); }

  void watch(Witness& witness) const {
    witness.watch("memory", memory.span());
    witness.watch("key", key);
    witness.watch("value", value);
    witness.watch_object("cache", cache);
  }
};

inline constexpr KvCacheConfig of_floats{2, 3, 5, 6, 20};
inline constexpr KvCacheConfig of_bytes{2, 3, 5, 6, 20, 0, DataType::int8, DataType::int4};
inline constexpr KvCacheConfig per_channel{2, 3, 5, 6, 20, 0, DataType::int8_channels, DataType::int4};
inline constexpr KvCacheConfig rolling{2, 3, 5, 6, 8, 2, DataType::float16, DataType::bfloat16, 1};
inline constexpr KvCacheConfig in_integers{2, 3, 5, 6, 20, 0, DataType::int8_integer, DataType::int8_integer};
inline constexpr KvCacheConfig rolling_in_integers{2, 3, 5, 6, 8, 2, DataType::int8_integer, DataType::int8_integer, 1};
inline constexpr KvCacheConfig all_kinds[] = {of_floats, of_bytes, per_channel, rolling};

}  // namespace heed::test
