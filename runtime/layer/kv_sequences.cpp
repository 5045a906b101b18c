// SPDX-License-Identifier: MIT
#include "layer/kv_sequences.hpp"

namespace heed::detail {
namespace {

/// Whether scales per channel have been set: they are NaN before.
[[nodiscard]] bool scales_are_set(const KvCache& cache) noexcept {
  const KvCachePlan& plan = cache.plan();
  if (!plan.config.key_scales_per_channel) return true;
  const float first = *reinterpret_cast<const float*>(cache.memory() + plan.key_scales.offset);
  return first == first;
}

}  // namespace

std::uint32_t KvSequences::tokens(std::uint32_t batch) const noexcept {
  if (inputs.block_table == nullptr) return cache.tokens(sequence_of(inputs.sequence_ids, batch));
  return inputs.past_lengths != nullptr ? inputs.past_lengths[batch] : 0;
}

std::uint32_t KvSequences::keys(std::uint32_t tokens) const noexcept {
  const std::uint32_t slots = cache.plan().config.max_keys;
  return inputs.block_table != nullptr || tokens < slots ? tokens : slots;
}

std::uint32_t KvSequences::piece(std::uint32_t tokens, std::uint32_t wanted) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  if (!config.ring) return wanted;
  if (tokens >= config.max_keys) return 1;
  const std::uint32_t unused = config.max_keys - tokens;
  return wanted < unused ? wanted : unused;
}

std::uint32_t KvSequences::block_count(std::uint32_t tokens) const noexcept {
  const std::uint32_t block_tokens = cache.plan().config.max_keys;
  return tokens / block_tokens + (tokens % block_tokens != 0 ? 1 : 0);
}

Status KvSequences::clear(std::uint32_t batch) const noexcept {
  if (inputs.block_table == nullptr) return cache.reset(sequence_of(inputs.sequence_ids, batch));
  Status status = Status::ok;
  for (std::uint32_t b = 0; b < block_count(inputs.tokens) && status == Status::ok; ++b) {
    status = cache.reset(blocks(batch)[b]);
  }
  return status;
}

Status KvSequences::append(std::uint32_t batch, std::uint32_t tokens, std::uint32_t rows, ConstTensor key,
                           ConstTensor value) const noexcept {
  if (inputs.block_table == nullptr) return cache.append(sequence_of(inputs.sequence_ids, batch), rows, key, value);
  const std::uint32_t block_tokens = cache.plan().config.max_keys;
  for (std::uint32_t row = 0; row < rows;) {
    const std::uint32_t unused = block_tokens - (tokens + row) % block_tokens;
    const std::uint32_t count = rows - row < unused ? rows - row : unused;
    ConstTensor keys = key;
    ConstTensor values = value;
    keys.data = key.row(0, 0, row);
    values.data = value.row(0, 0, row);
    const Status status = cache.append(blocks(batch)[(tokens + row) / block_tokens], count, keys, values);
    if (status != Status::ok) return status;
    row += count;
  }
  return Status::ok;
}

Status KvSequences::check_sequence(std::uint32_t batch, CacheUpdate update) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (update == CacheUpdate::nothing) return Status::ok;
  const std::uint32_t held = update == CacheUpdate::append ? tokens(batch) : 0;
  const bool overwrites = config.ring && update == CacheUpdate::append;
  if (!overwrites && inputs.tokens > config.max_keys - held) return Status::cache_full;
  if (inputs.tokens > max_tokens - held) return Status::too_large;
  for (std::uint32_t other = 0; inputs.sequence_ids != nullptr && other < batch; ++other) {
    if (inputs.sequence_ids[other] == sequence) return Status::bad_sequence;
  }
  return Status::ok;
}

bool KvSequences::appends_to(std::uint32_t batch, std::uint32_t block, CacheUpdate update) const noexcept {
  const std::uint32_t held = update == CacheUpdate::append ? tokens(batch) : 0;
  const std::uint32_t end = block_count(held + inputs.tokens);
  for (std::uint32_t b = held / cache.plan().config.max_keys; b < end; ++b) {
    if (blocks(batch)[b] == block) return true;
  }
  return false;
}

Status KvSequences::check_blocks(std::uint32_t batch, CacheUpdate update) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  const std::uint32_t held = update == CacheUpdate::replace ? 0 : tokens(batch);
  const std::uint32_t added = update == CacheUpdate::nothing ? 0 : inputs.tokens;
  const std::uint32_t limit = max_blocks * config.max_keys;
  if (held > limit) return Status::bad_length;
  if (added > limit - held) return Status::cache_full;
  for (std::uint32_t b = 0; b < block_count(held + added); ++b) {
    const std::uint32_t block = blocks(batch)[b];
    if (block >= config.max_sequences) return Status::bad_sequence;
    const std::uint32_t before = b * config.max_keys;
    const std::uint32_t here = held <= before ? 0 : held - before < config.max_keys ? held - before : config.max_keys;
    const bool appended_to = added != 0 && here < config.max_keys;
    if (update != CacheUpdate::replace) {
      const std::uint32_t holds = cache.length(block);
      if (appended_to ? holds != here : holds < here) return Status::bad_length;
    }
    if (!appended_to) continue;
    for (std::uint32_t earlier = 0; earlier < b; ++earlier) {
      if (blocks(batch)[earlier] == block) return Status::bad_sequence;
    }
    for (std::uint32_t other = 0; other < batch; ++other) {
      if (appends_to(other, block, update)) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

Status KvSequences::check(CacheUpdate update) const noexcept {
  const bool paged = inputs.block_table != nullptr;
  if (paged && max_blocks == 0) return Status::plan_mismatch;
  if (paged && inputs.key_lengths != nullptr) return Status::bad_option;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const Status status = paged ? check_blocks(b, update) : check_sequence(b, update);
    if (status != Status::ok) return status;
  }
  return update != CacheUpdate::nothing && !scales_are_set(cache) ? Status::bad_scale : Status::ok;
}

Status KvSequences::check_masks(const AttentionOptions* options, CacheUpdate update) const noexcept {
  const KvCacheConfig& config = cache.plan().config;
  const bool counts = inputs.key_lengths != nullptr ||
                      (options != nullptr && (options->query_lengths != nullptr || options->prefix_lengths != nullptr));
  if (!config.ring || !counts || update != CacheUpdate::append || inputs.tokens == 1) return Status::ok;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    if (inputs.tokens > config.max_keys - keys(tokens(b))) return Status::ring_wrapped;
  }
  return Status::ok;
}

}  // namespace heed::detail
