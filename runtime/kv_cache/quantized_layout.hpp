// SPDX-License-Identifier: MIT
//
// Where the parts of a KvCache lie in its memory; the plan's regions say of what type they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/kv_cache.hpp"
#include "quantization/quantize.hpp"

namespace heed::detail {

/// The memory of one sequence and key head. A part of 0 bytes has an address that is not to be used.
template <class Byte>
struct QuantizedLayout {
  Byte* keys;
  Byte* values;
  Byte* key_scales;
  Byte* value_scales;
};

template <class Byte>
[[nodiscard]] QuantizedLayout<Byte> quantized_layout(const KvCachePlan& plan, Byte* memory, std::uint32_t sequence,
                                                     std::uint32_t kv_head) noexcept {
  const std::size_t stream = std::size_t{sequence} * plan.config.kv_heads + kv_head;
  const std::size_t panel = stream * plan.key_panels;
  const std::size_t row = stream * plan.config.max_keys;
  const std::size_t key_scales = plan.config.key_scales_per_channel
                                     ? std::size_t{kv_head} * plan.config.head_dim * sizeof(float)
                                     : panel * plan.key_scale_bytes;
  return {memory + plan.keys.offset + panel * plan.key_panel_bytes,
          memory + plan.values.offset + row * plan.value_row_bytes, memory + plan.key_scales.offset + key_scales,
          memory + plan.value_scales.offset + row * plan.value_scale_bytes};
}

/// Slot of a token. A cache that is not a ring has none for the token `max_keys`, and the result is meaningless.
[[nodiscard]] inline std::uint32_t slot_of(const KvCacheConfig& config, std::uint32_t token) noexcept {
  if (token < config.max_keys) return token;
  return config.sink_tokens + (token - config.sink_tokens) % (config.max_keys - config.sink_tokens);
}

/// Slot of the token after the one in `slot`. A ring wraps to its first slot past the sinks; others are then full.
[[nodiscard]] inline std::uint32_t next_slot(const KvCacheConfig& config, std::uint32_t slot) noexcept {
  return slot + 1 < config.max_keys ? slot + 1 : config.sink_tokens;
}

/// The key in a slot, and its own scales.
[[nodiscard]] inline QuantizedRow key_row(const KvCachePlan& plan, const QuantizedLayout<std::byte>& parts,
                                          std::uint32_t slot) noexcept {
  return {parts.keys + std::size_t{slot / panel_width} * plan.key_panel_bytes, slot % panel_width, panel_width};
}
[[nodiscard]] inline QuantizedRow key_scale_row(const KvCachePlan& plan, const QuantizedLayout<std::byte>& parts,
                                                std::uint32_t slot) noexcept {
  return {parts.key_scales + std::size_t{slot / panel_width} * plan.key_scale_bytes, slot % panel_width, panel_width};
}

inline void store_value(const KvCachePlan& plan, const QuantizedLayout<std::byte>& parts, std::uint32_t slot,
                        const float* value) noexcept {
  const QuantizedRow values{parts.values + std::size_t{slot} * plan.value_row_bytes, 0, 1};
  const QuantizedRow scales{parts.value_scales + std::size_t{slot} * plan.value_scale_bytes, 0, 1};
  store_row(plan.config.value_type, value, plan.config.value_dim, plan.value_width, values, scales);
}

}  // namespace heed::detail
