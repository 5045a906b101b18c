// SPDX-License-Identifier: MIT
//
// What a stored cache holds, by a plain look into its memory as its plan divides it.
#pragma once

#include <cmath>
#include <cstring>

#include "cases/data.hpp"
#include "heed/cache.hpp"

namespace heed::bench {

template <class Element>
[[nodiscard]] Element element_at(const std::byte* from, std::size_t number) {
  Element element;
  std::memcpy(&element, from + number * sizeof element, sizeof element);
  return element;
}

[[nodiscard]] inline float bfloat16_at(const std::byte* from, std::size_t number) {
  const std::uint32_t bits = std::uint32_t{element_at<std::uint16_t>(from, number)} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Finite numbers only.
[[nodiscard]] inline float half_at(const std::byte* from, std::size_t number) {
  const auto half = element_at<std::uint16_t>(from, number);
  const int exponent = half >> 10 & 31;
  const int digits = (half & 1023) + (exponent > 0 ? 1024 : 0);
  const float magnitude = std::ldexp(static_cast<float>(digits), (exponent > 0 ? exponent : 1) - 25);
  return half >> 15 != 0 ? -magnitude : magnitude;
}

/// Element `number` of a region; for int8 and int4, with scale number `scale`.
[[nodiscard]] inline float stored_number(DataType storage, const std::byte* elements, std::size_t number,
                                         const std::byte* scales, std::size_t scale) {
  switch (storage) {
    case DataType::float32: return element_at<float>(elements, number);
    case DataType::float16: return half_at(elements, number);
    case DataType::bfloat16: return bfloat16_at(elements, number);
    case DataType::int8:
    case DataType::int8_channels: return element_at<std::int8_t>(elements, number) * element_at<float>(scales, scale);
    default: break;
  }
  const auto pair = element_at<std::uint8_t>(elements, number / 16 * 8 + number % 8);
  return static_cast<float>((number % 16 < 8 ? pair & 15 : pair >> 4) - 8) * bfloat16_at(scales, scale);
}

/// Rows [max_keys, head_dim] and [max_keys, value_dim] of one head of sequence 0; the cache is full, and max_keys,
/// head_dim and value_dim are multiples of 32.
struct StoredNumbers {
  Floats keys, values;

  StoredNumbers(const KvCache& cache, std::uint32_t head) {
    const KvCachePlan& plan = cache.plan();
    const KvCacheConfig& c = plan.config;
    const std::byte* memory = cache.memory();
    const std::size_t key_groups = c.key_type == DataType::int4 ? c.head_dim / scale_group_size : 1;
    const std::size_t value_groups = c.value_type == DataType::int4 ? c.value_dim / scale_group_size : 1;
    for (std::size_t key = 0; key < c.max_keys; ++key) {
      const std::size_t panel = std::size_t{head} * plan.key_panels + key / panel_width;
      for (std::size_t d = 0; d < c.head_dim; ++d) {
        const std::size_t group = key_groups == 1 ? 0 : d / scale_group_size;
        const std::size_t scale = c.key_type == DataType::int8_channels
                                      ? head * c.head_dim + d
                                      : (panel * key_groups + group) * panel_width + key % panel_width;
        keys.push_back(stored_number(c.key_type, memory + plan.keys.offset,
                                     (panel * c.head_dim + d) * panel_width + key % panel_width,
                                     memory + plan.key_scales.offset, scale));
      }
      const std::size_t row = std::size_t{head} * c.max_keys + key;
      for (std::size_t d = 0; d < c.value_dim; ++d) {
        const std::size_t group = value_groups == 1 ? 0 : d / scale_group_size;
        values.push_back(stored_number(c.value_type, memory + plan.values.offset, row * plan.value_width + d,
                                       memory + plan.value_scales.offset, row * value_groups + group));
      }
    }
  }
};

}  // namespace heed::bench
