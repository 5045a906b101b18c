// SPDX-License-Identifier: MIT
//
// How tokens are stored in slots: what append(), append_rotated() and a layer share.
#pragma once

#include <cstdint>

#include "cache/cache_parts.hpp"
#include "cache/channel_scales.hpp"
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

/// The same by several workers.
[[nodiscard]] Status append_shared(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                                   const ConstTensor& value, const Executor& executor, std::uint32_t workers) noexcept;

/// Tokens that a sequence has room for.
struct NewRows {
  const KvCache& cache;
  std::uint32_t sequence;
  std::uint32_t tokens;
  std::uint32_t first_slot;
  const ConstTensor& key;
  const ConstTensor& value;
  StoreChannels* store_key;
  StoreChannels* store_value;

  /// Stores the keys, the values, or both, of one head.
  [[gnu::always_inline]] inline void store(std::uint32_t head, bool keys, bool values) const noexcept {
    const KvCacheConfig& config = cache.plan().config;
    std::uint32_t slot = first_slot;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      if (keys) store_key(key.row(0, head, t), 0, config.head_dim, key_in(cache, sequence, head, slot));
      if (values) store_value(value.row(0, head, t), 0, config.value_dim, value_in(cache, sequence, head, slot));
      // A ring wraps to its first slot after the sinks; others are then full.
      slot = slot + 1 < config.max_keys ? slot + 1 : config.sink_tokens;
    }
  }
};

/// Appends what store_all(rows) stores.
template <class StoreAll>
[[nodiscard, gnu::always_inline]] inline Status append_with(KvCache& cache, std::uint32_t sequence,
                                                            std::uint32_t tokens, const ConstTensor& key,
                                                            const ConstTensor& value,
                                                            const StoreAll& store_all) noexcept {
  const ChannelScales* const scales = channel_scales_of(cache);
  if (scales != nullptr && !scales->are_finite(cache.plan().config, tokens, key)) return Status::not_finite;
  std::uint32_t& appended = tokens_of(cache, sequence);
  store_all(NewRows{cache, sequence, tokens, slot_of(cache, appended), key, value,
                    storing(CacheAccess::key_format(cache)), storing(CacheAccess::value_format(cache))});
  appended += tokens;
  return Status::ok;
}

}  // namespace heed::detail
