// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/cache_parts.hpp"
#include "format/format.hpp"
#include "heed/cache.hpp"
#include "layer/sequences.hpp"

namespace heed::detail {

/// What a cache does about the scales of its channels, which are NaN until set_key_scales().
struct ChannelScales {
  void (*clear)(const KvCachePlan& plan, std::byte* memory) noexcept;

  bool (*are_set)(const KvCachePlan& plan, const std::byte* memory) noexcept;

  /// Whether no key is infinite or NaN: key [1, kv_heads, tokens, head_dim].
  bool (*are_finite)(const KvCacheConfig& config, std::uint32_t tokens, const ConstTensor& key) noexcept;

  /// What append() will refuse about any key of a layer's call, which project(call, rows) gives as [count, kv_heads *
  /// head_dim]: not_finite; bad_scale before the scales are set. A single append() finds infinite keys by itself.
  Status (*takes_keys)(const Sequences& sequences, CacheUpdate update, const void* call,
                       const float* (*project)(const void* call, const LayerRows& rows) noexcept) noexcept;
};

/// For a cache whose keys have such scales; null for others.
[[nodiscard]] inline const ChannelScales* channel_scales_of(const KvCache& cache) noexcept {
  const Format* const format = CacheAccess::key_format(cache);
  return format != nullptr ? format->channel_scales : nullptr;
}

extern const ChannelScales channel_scales;

/// Whether the scales in memory may be what init() or set_key_scales() wrote.
[[nodiscard]] bool may_be_channel_scales(const KvCachePlan& plan, std::byte* memory) noexcept;

}  // namespace heed::detail
