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

#include "kv_cache/decoded_keys.hpp"
#include "kv_cache/kv_cache_twin.hpp"
#include "support/cases.hpp"
#include "support/subnormals.hpp"

namespace heed::test {

constexpr DataType all_storages[] = {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8,
                                     DataType::int4};

/// Every pair of storage types, and int8 keys with scales per channel beside every type of values.
inline std::vector<KvCacheConfig> every_storage(KvCacheConfig config) {
  std::vector<KvCacheConfig> result;
  for (const DataType value : all_storages) {
    config.value_type = value;
    for (const DataType key : all_storages) {
      config.key_type = key;
      config.key_scales_per_channel = false;
      result.push_back(config);
    }
    config.key_type = DataType::int8;
    config.key_scales_per_channel = true;
    result.push_back(config);
  }
  return result;
}

inline std::string name_of(const KvCacheConfig& c) {
  constexpr const char* names[] = {"float32", "float16", "bfloat16", "int8", "int4"};
  return std::string(names[static_cast<int>(c.key_type)]) + (c.key_scales_per_channel ? " per channel" : "") +
         " keys of " + std::to_string(c.head_dim) + ", " + names[static_cast<int>(c.value_type)] + " values of " +
         std::to_string(c.value_dim) + ", " + std::to_string(c.max_keys) + " slots";
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

/// A cache, its memory with 64 more bytes after it that must never change, and what was put into it.
struct StoredCase {
  KvCachePlan plan;
  std::vector<float> key_scales;  ///< [kv_heads, head_dim], or empty
  AlignedMemory memory;
  KvCache cache;

  static KvCachePlan made(const KvCacheConfig& config) {
    KvCachePlan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }

  explicit StoredCase(const KvCacheConfig& config, std::uint64_t seed = 5)
      : plan(made(config)), memory(plan.bytes + 64, 0xA5) {
    EXPECT_EQ(cache.init(plan, memory.span().first(plan.bytes)), Status::ok);
    if (!config.key_scales_per_channel) return;
    Random random(seed);
    for (std::uint32_t c = 0; c < config.kv_heads * config.head_dim; ++c) {
      const float scale = std::fabs(random.normal()) / 40.0F;
      key_scales.push_back(c % 7 == 3 ? 0.0F : scale);
    }
    EXPECT_EQ(cache.set_key_scales(key_scales), Status::ok);
  }

  [[nodiscard]] const float* scales_of(std::uint32_t head) const {
    return key_scales.empty() ? nullptr : key_scales.data() + std::size_t{head} * plan.config.head_dim;
  }

  [[nodiscard]] bool nothing_behind() const {
    for (const std::byte b : memory.span().subspan(plan.bytes)) {
      if (b != std::byte{0xA5}) return false;
    }
    return true;
  }
};

/// Equal bits, or both NaN, or zeros. Where vectors flush subnormal numbers, 0 also stands for what has a subnormal
/// scale: up to 127 times that.
inline bool same_number(float a, float b) {
  static const bool flushes = flushes_subnormals();
  if (bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)) || (a == 0.0F && b == 0.0F)) return true;
  return flushes && a == 0.0F && std::fabs(b) < 0x1p-119F;
}

/// Every slot from `first` on of one head, as the kernels would read it: keys [length, head_dim], values [length,
/// value_width].
struct Expanded {
  std::vector<float> keys, values;
};

inline Expanded expanded(const KvCache& cache, std::uint32_t sequence, std::uint32_t head) {
  const KvCachePlan& plan = cache.plan();
  const std::uint32_t length = cache.length(sequence);
  const std::uint32_t dim = plan.config.head_dim;
  Expanded result;
  // Three panels at a time, so that runs begin at all places.
  const AlignedMemory staged(std::size_t{48} * std::max(dim, plan.value_width) * sizeof(float));
  auto* floats = reinterpret_cast<float*>(staged.span().data());
  for (std::uint32_t first = 0; first < length; first += 48) {
    const std::uint32_t count = std::min(length - first, 48U);
    const float* panels = detail::dequantize_keys(cache, sequence, head, first, (count + 15) / 16, floats);
    for (std::uint32_t k = 0; k < count; ++k) {
      for (std::uint32_t d = 0; d < dim; ++d) {
        result.keys.push_back(panels[(std::size_t{k / 16} * dim + d) * 16 + k % 16]);
      }
    }
    const float* rows = detail::dequantize_values(cache, sequence, head, first, count, floats);
    result.values.insert(result.values.end(), rows, rows + std::size_t{count} * plan.value_width);
  }
  return result;
}

}  // namespace heed::test
