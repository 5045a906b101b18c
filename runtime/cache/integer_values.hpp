// SPDX-License-Identifier: MIT
//
// Where the values of int8_integer lie: as the weights of a product whose inputs are keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/cache_parts.hpp"

namespace heed::detail {

/// Keys that a sequence has room for.
[[nodiscard]] inline std::size_t integer_value_rows(const KvCachePlan& plan) noexcept {
  return static_cast<std::size_t>(round_up(plan.config.max_keys, panel_width));
}

/// Sixteen channels of a sequence's values: [keys / 4, 16, 4].
[[nodiscard]] inline std::byte* integer_value_panel(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                                    std::uint32_t panel) noexcept {
  const KvCachePlan& plan = cache.plan();
  const std::size_t stream = std::size_t{sequence} * plan.config.kv_heads + kv_head;
  return CacheAccess::memory(cache) + plan.values.offset +
         (stream * plan.value_width + std::size_t{panel} * panel_width) * integer_value_rows(plan);
}

/// [keys]
[[nodiscard]] inline float* integer_value_scales(const KvCache& cache, std::uint32_t sequence,
                                                 std::uint32_t kv_head) noexcept {
  const KvCachePlan& plan = cache.plan();
  const std::size_t stream = std::size_t{sequence} * plan.config.kv_heads + kv_head;
  return reinterpret_cast<float*>(CacheAccess::memory(cache) + plan.value_scales.offset) +
         stream * integer_value_rows(plan);
}

}  // namespace heed::detail
