// SPDX-License-Identifier: MIT
#include "cache/ring.hpp"

#include "cache/cache_parts.hpp"
#include "common/validation.hpp"
#include "layer/sequences.hpp"

namespace heed::detail {

std::uint32_t slot_in_ring(const KvCacheConfig& config, std::uint32_t token) noexcept {
  return config.sink_tokens + (token - config.sink_tokens) % (config.max_keys - config.sink_tokens);
}

std::uint32_t position_in_ring(const KvCacheConfig& config, std::uint32_t tokens, std::uint32_t slot) noexcept {
  if (slot < config.sink_tokens) return slot;
  // After the newest token the ring goes on with the oldest one.
  const std::uint32_t newest = slot_in_ring(config, tokens - 1);
  const std::uint32_t ring = config.max_keys - config.sink_tokens;
  const std::uint32_t steps_back = slot <= newest ? newest - slot : newest + ring - slot;
  return tokens - 1 - steps_back;
}

bool hides_by_position(Causal causal, std::uint32_t queries, const AttentionOptions* options) noexcept {
  const bool window = options != nullptr && (options->left_window != 0 || options->right_window != 0);
  return window || (causal != Causal::none && (causal != Causal::bottom_right || queries != 1));
}

bool depends_on_order(Causal causal, std::uint32_t queries, const AttentionOptions* options) noexcept {
  return hides_by_position(causal, queries, options) ||
         (options != nullptr && (options->alibi_slopes != nullptr || options->relative_bias.values != nullptr));
}

Status check_ring_call(const KvRing& ring, const AttentionInputs& inputs, const AttentionOptions* options) noexcept {
  const bool ordered = inputs.page_table == nullptr && depends_on_order(inputs.causal, inputs.query_count, options);
  return ordered && ring.attend == nullptr ? Status::missing_format : Status::ok;
}

Status check_ring_layer_call(const KvRing& ring, const Sequences& sequences, const AttentionOptions* options,
                             CacheUpdate update) noexcept {
  if (update == CacheUpdate::replace) return Status::ok;
  const MultiHeadInputs& inputs = sequences.inputs;
  const bool appends = update == CacheUpdate::append;
  const bool query_lengths = options != nullptr && options->query_lengths != nullptr;
  // Appended tokens that overwrite others attend one by one, each as the newest.
  const bool ordered =
      appends ? depends_on_order(Causal::none, 1, options) : depends_on_order(inputs.causal, inputs.tokens, options);
  if ((ordered || query_lengths) && ring.attend == nullptr) return Status::missing_format;
  const bool counts =
      inputs.key_lengths != nullptr || query_lengths || (options != nullptr && options->prefix_lengths != nullptr);
  if (!counts || !appends || inputs.tokens == 1) return Status::ok;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    const std::uint32_t held = sequences.keys(sequences.tokens(b));
    if (inputs.tokens > sequences.cache.plan().config.max_keys - held) return Status::ring_wrapped;
  }
  return Status::ok;
}

bool reorders_ring(const AttentionRun& run) noexcept {
  const AttentionInputs& inputs = *run.inputs;
  if (inputs.page_table != nullptr || !depends_on_order(inputs.causal, inputs.query_count, run.options)) return false;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    if (has_wrapped(*inputs.cache, sequence_of(inputs.sequence_ids, b))) return true;
  }
  return false;
}

}  // namespace heed::detail

constexpr heed_ring_rules heed_kv_ring = {heed::detail::slot_in_ring,
                                          heed::detail::position_in_ring,
                                          heed::detail::check_ring_call,
                                          heed::detail::check_ring_layer_call,
                                          nullptr,
                                          nullptr};
