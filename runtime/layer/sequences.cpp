// SPDX-License-Identifier: MIT
#include "layer/sequences.hpp"

#include "cache/cache_parts.hpp"
#include "cache/pages.hpp"
#include "cache/store_token.hpp"
#include "common/validation.hpp"

namespace heed::detail {
namespace {

/// Sequences::check() without pages.
[[nodiscard]] Status check_each(const Sequences& sequences, CacheUpdate update) noexcept {
  const MultiHeadInputs& inputs = sequences.inputs;
  const KvCacheConfig& config = sequences.cache.plan().config;
  const bool appends = update == CacheUpdate::append;
  const bool overwrites = config.ring != 0 && appends;
  const std::uint32_t most = overwrites ? max_tokens : config.max_keys;
  for (std::uint32_t b = 0; b < sequences.entries; ++b) {
    const std::uint32_t sequence = sequence_of(inputs.sequence_ids, b);
    if (sequence >= config.max_sequences) return Status::bad_sequence;
    if (update == CacheUpdate::nothing) continue;
    const std::uint32_t held = appends ? tokens_of(sequences.cache, sequence) : 0;
    if (inputs.tokens > most - held) return overwrites ? Status::too_large : Status::cache_full;
    for (std::uint32_t other = 0; inputs.sequence_ids != nullptr && other < b; ++other) {
      if (inputs.sequence_ids[other] == sequence) return Status::bad_sequence;
    }
  }
  return Status::ok;
}

}  // namespace

Status Sequences::check(CacheUpdate update) const noexcept {
  if (inputs.page_table == nullptr) return check_each(*this, update);
  return plan.config.max_pages == 0 ? Status::plan_mismatch : CacheAccess::pages(cache)->check(*this, update);
}

std::uint32_t Sequences::tokens(std::uint32_t batch) const noexcept {
  if (inputs.page_table == nullptr) return tokens_of(cache, sequence_of(inputs.sequence_ids, batch));
  return inputs.past_lengths != nullptr ? inputs.past_lengths[batch] : 0;
}

Status Sequences::clear(std::uint32_t batch) const noexcept {
  if (inputs.page_table != nullptr) return CacheAccess::pages(cache)->clear(*this, batch);
  tokens_of(cache, sequence_of(inputs.sequence_ids, batch)) = 0;
  return Status::ok;
}

Status Sequences::append(const LayerRows& rows, const ConstTensor& key, const ConstTensor& value) const noexcept {
  if (inputs.page_table != nullptr) return CacheAccess::pages(cache)->append(*this, rows, key, value);
  return append_tokens(cache, sequence_of(inputs.sequence_ids, rows.batch), rows.count, key, value);
}

}  // namespace heed::detail
