// SPDX-License-Identifier: MIT
//
// Where the parts of a cache lie in its memory; the plan's regions say of what type they are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/key_range.hpp"
#include "format/quantize.hpp"
#include "heed/cache.hpp"

namespace heed::detail {

/// What the runtime sees of a cache besides its public members.
struct CacheAccess {
  static std::byte* memory(const KvCache& cache) noexcept { return cache.memory_; }
  static const KeyReader* reader(const KvCache& cache) noexcept { return cache.reader_; }
  static const Format* key_format(const KvCache& cache) noexcept { return cache.key_format_; }      ///< null: float32
  static const Format* value_format(const KvCache& cache) noexcept { return cache.value_format_; }  ///< null: float32
  static const KvRing* ring(const KvCache& cache) noexcept { return cache.ring_; }                  ///< null: none
  static const KvPages* pages(const KvCache& cache) noexcept { return cache.pages_; }               ///< null: none
};

/// Whether a program has named all that a cache needs.
[[nodiscard]] bool is_named(const KvCacheConfig& config, const KvStorage& storage) noexcept;

/// Keys or values from a slot on. Where the format has no scales, their address is not to be used.
struct StoredNumbers {
  std::byte* numbers;
  std::byte* scales;
};

[[nodiscard]] inline std::uint32_t* states_in(const KvCachePlan& plan, std::byte* memory) noexcept {
  return reinterpret_cast<std::uint32_t*>(memory + plan.states.offset);
}
[[nodiscard]] inline std::uint32_t& tokens_of(const KvCache& cache, std::uint32_t sequence) noexcept {
  return states_in(cache.plan(), CacheAccess::memory(cache))[sequence];
}

/// Keys that a sequence of the plan holds.
[[nodiscard]] inline std::uint32_t keys_of(const KvCache& cache, std::uint32_t sequence) noexcept {
  return least(tokens_of(cache, sequence), cache.plan().config.max_keys);
}

/// The panel that a slot lies in.
[[nodiscard]] inline StoredNumbers key_panel(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                             std::uint32_t slot) noexcept {
  const KvCachePlan& plan = cache.plan();
  std::byte* const memory = CacheAccess::memory(cache);
  const std::size_t stream = std::size_t{sequence} * plan.config.kv_heads + kv_head;
  const std::size_t panel = stream * plan.key_panels + slot / panel_width;
  const std::size_t scales = plan.config.key_type == DataType::int8_channels
                                 ? std::size_t{kv_head} * plan.config.head_dim * sizeof(float)
                                 : panel * plan.key_scale_bytes;
  return {memory + plan.keys.offset + panel * plan.key_panel_bytes, memory + plan.key_scales.offset + scales};
}

[[nodiscard]] inline StoredNumbers value_row(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                             std::uint32_t slot) noexcept {
  const KvCachePlan& plan = cache.plan();
  std::byte* const memory = CacheAccess::memory(cache);
  const std::size_t stream = std::size_t{sequence} * plan.config.kv_heads + kv_head;
  const std::size_t row = stream * plan.config.max_keys + slot;
  return {memory + plan.values.offset + row * plan.value_row_bytes,
          memory + plan.value_scales.offset + row * plan.value_scale_bytes};
}

/// Whether a ring has overwritten tokens of a sequence: its slots are not in the order of time.
[[nodiscard]] inline bool has_wrapped(const KvCache& cache, std::uint32_t sequence) noexcept {
  return tokens_of(cache, sequence) > cache.plan().config.max_keys;
}

}  // namespace heed::detail
