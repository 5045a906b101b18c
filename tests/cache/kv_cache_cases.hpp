// SPDX-License-Identifier: MIT
//
// Stored caches of every kind, and numbers to put into them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <port.hpp>
#include <string>
#include <vector>

#include "cache/cache_parts.hpp"
#include "cache/kv_cache_twin.hpp"
#include "format/format.hpp"
#include "support/built_cache.hpp"
#include "support/subnormals.hpp"

namespace heed::test {

/// Every type of keys beside every type of values.
inline std::vector<KvCacheConfig> every_storage(KvCacheConfig config) {
  std::vector<KvCacheConfig> result;
  for (const DataType value : value_types) {
    config.value_type = value;
    for (const DataType key : key_types) {
      config.key_type = key;
      result.push_back(config);
    }
  }
  return result;
}

inline std::string name_of(const KvCacheConfig& c) {
  constexpr const char* names[] = {"float32",     "float16",     "bfloat16", "int8",
                                   "int8_groups", "int4_groups", "int4",     "int8_channels"};
  return std::string(names[static_cast<int>(c.key_type)]) + " keys of " + std::to_string(c.head_dim) + ", " +
         names[static_cast<int>(c.value_type)] + " values of " + std::to_string(c.value_dim) + ", " +
         std::to_string(c.max_keys) + " slots";
}

/// Rows of `dim` numbers: nearly normal ones, some rows large, tiny, subnormal, zero or full of ties between two stored
/// numbers.
inline std::vector<float> rows_of_all_kinds(Random& random, std::size_t rows, std::uint32_t dim) {
  std::vector<float> values = random.normals(rows * dim);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t kind = random.between(0, 12);
    for (std::uint32_t d = 0; d < dim; ++d) {
      float& x = values[r * dim + d];
      if (kind == 0) x = 0.0F;
      if (kind == 1) x *= 0x1p120F;
      if (kind == 2) x *= 0x1p-120F;
      if (kind == 3) x *= 0x1p-20F;
      if (kind == 4) x = d % 32 == 0 ? 127.0F : static_cast<float>(static_cast<int>(random.between(0, 252)) - 126) / 2;
      if (kind == 5) x = d % 32 == 0 ? -7.0F : static_cast<float>(static_cast<int>(random.between(0, 26)) - 13) / 2;
      if (kind == 6) x *= 60000.0F;
      if (kind == 7 && d % 5 != 0) x = -0.0F;
      if (kind == 9) x *= 0x1p-148F;
      if (kind == 8) x = std::copysign(float_of(random.between(0x3F800000, 0x40000000) & 0xFFFFF000U), x);
    }
  }
  return values;
}

/// A cache of any types, with scales where its keys need them.
struct StoredCase : BuiltCache {
  std::vector<float> key_scales;  ///< [kv_heads, head_dim], or empty

  explicit StoredCase(const KvCacheConfig& config) : StoredCase(config, storage_of(config)) {}

  StoredCase(const KvCacheConfig& config, const KvStorage& named) : BuiltCache(config, named) {
    if (config.key_type != DataType::int8_channels) return;
    Random random(5);
    for (std::uint32_t c = 0; c < plan.config.kv_heads * config.head_dim; ++c) {
      const float scale = std::fabs(random.normal()) / 40.0F;
      key_scales.push_back(c % 7 == 3 ? 0.0F : scale);
    }
    EXPECT_EQ(cache.set_key_scales(key_scales), Status::ok);
  }

  [[nodiscard]] const float* scales_of(std::uint32_t head) const {
    return key_scales.empty() ? nullptr : key_scales.data() + std::size_t{head} * plan.config.head_dim;
  }
};

/// Equal bits, or both NaN, or zeros. Where vectors flush subnormal numbers, 0 also stands for what has a subnormal
/// scale: up to 127 times that.
inline bool same_number(float a, float b) {
  static const bool flushes = flushes_subnormals();
  if (bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)) || (a == 0.0F && b == 0.0F)) return true;
  return flushes && a == 0.0F && std::fabs(b) < 0x1p-119F;
}

/// Every slot of one head, as the kernels would read it: keys [length, head_dim], values [length, value_width].
struct Expanded {
  std::vector<float> keys, values;
};

/// A few panels at a time, so that runs begin at all places.
inline Expanded expanded(const KvCache& cache, std::uint32_t sequence, std::uint32_t head) {
  const KvCachePlan& plan = cache.plan();
  const Format* const key_format = detail::CacheAccess::key_format(cache);
  const Format* const value_format = detail::CacheAccess::value_format(cache);
  const std::uint32_t length = cache.length(sequence);
  const std::uint32_t dim = plan.config.head_dim;
  Expanded result;
  const AlignedMemory staged(std::size_t{48} * std::max(dim, plan.value_width) * sizeof(float));
  auto* floats = reinterpret_cast<float*>(staged.span().data());
  for (std::uint32_t first = 0; first < length; first += 16) {
    const detail::StoredNumbers panel = detail::key_panel(cache, sequence, head, first);
    const float* keys = reinterpret_cast<const float*>(panel.numbers);
    if (key_format != nullptr) {
      key_format->dequantize_panel(panel.numbers, panel.scales, dim, floats);
      keys = floats;
    }
    for (std::uint32_t k = 0; k < std::min(length - first, 16U); ++k) {
      for (std::uint32_t d = 0; d < dim; ++d) result.keys.push_back(keys[std::size_t{d} * 16 + k]);
    }
  }
  for (std::uint32_t first = 0; first < length; first += 48) {
    const std::uint32_t count = std::min(length - first, 48U);
    const detail::StoredNumbers row = detail::value_row(cache, sequence, head, first);
    const float* values = reinterpret_cast<const float*>(row.numbers);
    if (value_format != nullptr) {
      value_format->dequantize_rows(row.numbers, row.scales, count, plan.config.value_dim, floats);
      values = floats;
    }
    result.values.insert(result.values.end(), values, values + std::size_t{count} * plan.value_width);
  }
  return result;
}

}  // namespace heed::test
