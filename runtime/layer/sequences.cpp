// SPDX-License-Identifier: MIT
#include "layer/sequences.hpp"

#include "cache/cache_parts.hpp"
#include "cache/channel_scales.hpp"
#include "cache/pages.hpp"
#include "cache/ring.hpp"
#include "cache/store_token.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"

namespace heed::detail {
std::uint32_t Sequences::tokens(std::uint32_t batch) const noexcept {
  if (inputs.page_table == nullptr) return cache.tokens(sequence_of(inputs.sequence_ids, batch));
  return inputs.past_lengths != nullptr ? inputs.past_lengths[batch] : 0;
}

std::uint32_t Sequences::keys(std::uint32_t tokens) const noexcept {
  return inputs.page_table != nullptr ? tokens : least(tokens, cache.plan().config.max_keys);
}

std::uint32_t Sequences::appended_at_once(std::uint32_t tokens, std::uint32_t wanted) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  if (config.ring == 0) return wanted;
  return tokens >= config.max_keys ? 1 : least(wanted, config.max_keys - tokens);
}

Status Sequences::clear(std::uint32_t batch) const noexcept {
  if (inputs.page_table != nullptr) return CacheAccess::pages(cache)->clear(*this, batch);
  tokens_of(cache, sequence_of(inputs.sequence_ids, batch)) = 0;
  return Status::ok;
}

Status Sequences::append(std::uint32_t batch, std::uint32_t tokens, std::uint32_t rows, const ConstTensor& key,
                         const ConstTensor& value) const noexcept {
  if (inputs.page_table != nullptr) return CacheAccess::pages(cache)->append(*this, batch, tokens, rows, key, value);
  return append_tokens(cache, sequence_of(inputs.sequence_ids, batch), rows, key, value);
}

Status Sequences::check_each(CacheUpdate update) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    const std::uint32_t sequence = sequence_of(inputs.sequence_ids, b);
    if (sequence >= config.max_sequences) return Status::bad_sequence;
    if (update == CacheUpdate::nothing) continue;
    const std::uint32_t held = update == CacheUpdate::append ? tokens_of(cache, sequence) : 0;
    const bool overwrites = config.ring != 0 && update == CacheUpdate::append;
    if (!overwrites && inputs.tokens > config.max_keys - held) return Status::cache_full;
    if (inputs.tokens > max_tokens - held) return Status::too_large;
    for (std::uint32_t other = 0; inputs.sequence_ids != nullptr && other < b; ++other) {
      if (inputs.sequence_ids[other] == sequence) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

Status Sequences::check(CacheUpdate update) const noexcept {
  const bool paged = inputs.page_table != nullptr;
  if (paged && max_pages == 0) return Status::plan_mismatch;
  const Status status = paged ? CacheAccess::pages(cache)->check(*this, update) : check_each(update);
  const ChannelScales* const scales = channel_scales_of(cache);
  if (status != Status::ok || update == CacheUpdate::nothing || scales == nullptr) return status;
  return scales->are_set(cache.plan(), cache.memory()) ? Status::ok : Status::bad_scale;
}

Status Sequences::check_masks(const AttentionOptions* options, CacheUpdate update) const noexcept {
  const KvRing* const ring = CacheAccess::ring(cache);
  return ring != nullptr ? ring->check_layer_call(*ring, *this, options, update) : Status::ok;
}

}  // namespace heed::detail
