// SPDX-License-Identifier: MIT
//
// Where the parts of a stored cache lie in its memory; the plan's regions say of what type they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/kv_cache.hpp"

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

}  // namespace heed::detail
