// SPDX-License-Identifier: MIT
#include "cache/cache_reader.hpp"

#include "cache/cache_parts.hpp"
#include "cache/pages.hpp"
#include "cache/ring.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"

namespace heed::detail {
namespace {

Status check(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* options) noexcept {
  const AttentionConfig& config = plan.config;
  const KvCache& cache = *inputs.cache;
  const KvCacheConfig& held = cache.plan().config;
  if (held.kv_heads != config.kv_heads || held.head_dim != config.head_dim || held.value_dim != config.value_dim) {
    return Status::plan_mismatch;
  }
  if (CacheAccess::value_format(cache) != nullptr && plan.staged_keys * config.head_dim < cache.plan().value_width) {
    return Status::plan_mismatch;
  }
  const bool paged = inputs.page_table != nullptr;
  const KvPages* const pages = CacheAccess::pages(cache);
  if (paged && pages == nullptr) return Status::missing_format;
  const KvRing* const ring = CacheAccess::ring(cache);
  Status status = ring != nullptr ? ring->check_call(*ring, inputs, options) : Status::ok;
  for (std::uint32_t b = 0; b < inputs.entries() && status == Status::ok; ++b) {
    if (paged) {
      status = pages->check_keys(inputs, b);
    } else if (sequence_of(inputs.sequence_ids, b) >= held.max_sequences) {
      status = Status::bad_sequence;
    }
    if (status == Status::ok && key_count(inputs, b) > config.max_keys) status = Status::keys_exceed_plan;
  }
  return status;
}

std::uint32_t key_count_of(const AttentionInputs& inputs, std::uint32_t batch) noexcept {
  if (inputs.page_table != nullptr) return inputs.key_lengths[batch];
  return inputs.cache->length(sequence_of(inputs.sequence_ids, batch));
}

bool attend(const AttentionRun& run, std::byte* arena, const Executor& executor) noexcept {
  const KvRing* const ring = CacheAccess::ring(*run.inputs->cache);
  if (ring == nullptr || !ring->reorders(run)) return false;
  ring->attend(run, arena, executor);
  return true;
}

void open(KeySource& source) noexcept {
  const AttentionInputs& inputs = *source.head.run.inputs;
  const KvCache& cache = *inputs.cache;
  source.in_panels = true;
  source.count = key_count_of(inputs, source.head.batch);
  if (inputs.page_table != nullptr) {
    source.stored = CacheAccess::pages(cache)->stored_keys;
    return;
  }
  const Format* format = CacheAccess::key_format(cache);
  if (format == nullptr) format = CacheAccess::value_format(cache);
  if (format != nullptr) {
    source.stored = format->stored_keys;
    return;
  }
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, source.head.batch);
  const StoredNumbers keys = key_panel(cache, sequence, source.head.kv_head, 0);
  const StoredNumbers values = value_row(cache, sequence, source.head.kv_head, 0);
  source.keys = reinterpret_cast<const float*>(keys.numbers);
  source.values = reinterpret_cast<const float*>(values.numbers);
  source.value_row = static_cast<std::ptrdiff_t>(cache.plan().value_width);
}

}  // namespace

constexpr CacheReader cache_reader = {check, key_count_of, attend, open};

}  // namespace heed::detail
