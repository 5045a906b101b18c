// SPDX-License-Identifier: MIT
//
// How tokens are stored in slots: what append(), append_rotated() and a layer share.
#pragma once

#include <cstdint>

#include "cache/cache_parts.hpp"
#include "cache/ring.hpp"
#include "format/format.hpp"
#include "heed/cache.hpp"

namespace heed::detail {

/// The row that a key is in a slot. Scales of channels are taken from their start.
[[nodiscard]] inline StoredRow key_in(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                      std::uint32_t slot) noexcept {
  const StoredNumbers panel = key_panel(cache, sequence, kv_head, slot);
  return {panel.numbers, panel.scales, slot % panel_width, panel_width};
}

[[nodiscard]] inline StoredRow value_in(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                        std::uint32_t slot) noexcept {
  const Format* const format = CacheAccess::value_format(cache);
  if (format != nullptr && format->value_in != nullptr) return format->value_in(cache, sequence, kv_head, slot);
  const StoredNumbers row = value_row(cache, sequence, kv_head, slot);
  return {row.numbers, row.scales, 0, 1};
}

/// What stores a whole row in a format; null is that of float32.
[[nodiscard]] inline StoreChannels* storing(const Format* format) noexcept {
  return format != nullptr ? format->store_row : store_float32;
}

/// Slot of a token that there is room for.
[[nodiscard]] inline std::uint32_t slot_of(const KvCache& cache, std::uint32_t token) noexcept {
  const KvCacheConfig& config = cache.plan().config;
  return token < config.max_keys ? token : CacheAccess::ring(cache)->slot_of(config, token);
}

/// What append() refuses, but for keys that are not finite.
[[nodiscard]] Status check_append(const KvCache& cache, std::uint32_t sequence, std::uint32_t tokens,
                                  const ConstTensor& key, const ConstTensor& value) noexcept;

/// append() after those checks.
[[nodiscard]] Status append_tokens(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                                   const ConstTensor& value) noexcept;

}  // namespace heed::detail
