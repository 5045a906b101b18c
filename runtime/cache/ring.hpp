// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "heed/cache.hpp"
#include "heed/layer.hpp"
#include "heed/options.hpp"

namespace heed {

namespace detail {
struct Sequences;
}

/// What a ring adds to a cache. `tokens` counts all that were appended to a sequence.
struct KvRing {
  /// Slot of a token that finds every slot in use.
  std::uint32_t (*slot_of)(const KvCacheConfig& config, std::uint32_t token) noexcept;

  /// The number of the token in a slot, of a sequence that has wrapped around.
  std::uint32_t (*position)(const KvCacheConfig& config, std::uint32_t tokens, std::uint32_t slot) noexcept;

  /// What attend() refuses about a call over a ring, and what a layer does. Options are null for a call without.
  Status (*check_call)(const KvRing& ring, const AttentionInputs& inputs, const AttentionOptions* options) noexcept;
  Status (*check_layer_call)(const KvRing& ring, const detail::Sequences& sequences, const AttentionOptions* options,
                             detail::CacheUpdate update) noexcept;

  /// Whether one of the call's sequences has wrapped around and the order of its slots matters. Null in kv_ring, which
  /// refuses such calls, as is the next one.
  bool (*reorders)(const detail::AttentionRun& run) noexcept;

  /// The attention of a call that reorders() is true of, and whether it is.
  bool (*attend)(const detail::AttentionRun& run, std::byte* arena, const Executor& executor) noexcept;
};

namespace detail {

/// Whether a causal mask or a window may hide a token of a ring from a query. The last token sees all of them.
[[nodiscard]] bool hides_by_position(Causal causal, std::uint32_t queries, const AttentionOptions* options) noexcept;

/// Whether the order of a ring's slots matters to a call.
[[nodiscard]] bool depends_on_order(Causal causal, std::uint32_t queries, const AttentionOptions* options) noexcept;

// The members of both rings, and reorders() of the one that has it.
[[nodiscard]] std::uint32_t slot_in_ring(const KvCacheConfig& config, std::uint32_t token) noexcept;
[[nodiscard]] std::uint32_t position_in_ring(const KvCacheConfig& config, std::uint32_t tokens,
                                             std::uint32_t slot) noexcept;
[[nodiscard]] Status check_ring_call(const KvRing& ring, const AttentionInputs& inputs,
                                     const AttentionOptions* options) noexcept;
[[nodiscard]] Status check_ring_layer_call(const KvRing& ring, const Sequences& sequences,
                                           const AttentionOptions* options, CacheUpdate update) noexcept;
[[nodiscard]] bool reorders_ring(const AttentionRun& run) noexcept;

}  // namespace detail
}  // namespace heed
