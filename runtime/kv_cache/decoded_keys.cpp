// SPDX-License-Identifier: MIT
#include "kv_cache/decoded_keys.hpp"

#include <cstddef>

#include "kv_cache/quantized_layout.hpp"
#include "quantization/dequantize.hpp"

namespace heed::detail {

const float* dequantize_keys(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                             std::uint32_t first_key, std::uint32_t panels, float* staged) noexcept {
  const KvCachePlan& plan = cache.plan();
  const KvCacheConfig& config = plan.config;
  const auto parts = quantized_layout(plan, cache.memory(), sequence, kv_head);
  const std::size_t first = first_key / panel_width;
  const std::byte* keys = parts.keys + first * plan.key_panel_bytes;
  if (config.key_type == DataType::float32) return reinterpret_cast<const float*>(keys);
  // Panels that have no scales of their own have 0 bytes of them.
  const std::byte* scales = parts.key_scales + first * plan.key_scale_bytes;
  dequantize(config.key_type, config.key_scales_per_channel, keys, scales,
             {panels, std::size_t{config.head_dim} * panel_width, true}, staged);
  return staged;
}

const float* dequantize_values(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                               std::uint32_t first_key, std::uint32_t keys, float* staged) noexcept {
  const KvCachePlan& plan = cache.plan();
  const auto parts = quantized_layout(plan, cache.memory(), sequence, kv_head);
  const std::byte* values = parts.values + std::size_t{first_key} * plan.value_row_bytes;
  if (plan.config.value_type == DataType::float32) return reinterpret_cast<const float*>(values);
  const std::byte* scales = parts.value_scales + std::size_t{first_key} * plan.value_scale_bytes;
  dequantize(plan.config.value_type, false, values, scales, {keys, plan.value_width, false}, staged);
  return staged;
}

}  // namespace heed::detail
