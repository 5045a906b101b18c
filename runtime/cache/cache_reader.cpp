// SPDX-License-Identifier: MIT
#include "cache/cache_parts.hpp"
#include "cache/key_readers.hpp"
#include "cache/pages.hpp"
#include "cache/ring.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"

namespace heed::detail {
namespace {

/// What attend() refuses about one batch entry, whose keys become `count`.
Status check_entry(const AttentionInputs& inputs, std::uint32_t batch, std::uint32_t& count) noexcept {
  const KvCache& cache = *inputs.cache;
  if (inputs.page_table != nullptr) {
    const KvPages* const pages = CacheAccess::pages(cache);
    if (pages == nullptr) return Status::missing_format;
    const Status status = pages->check_keys(inputs, batch);
    if (status == Status::ok) count = inputs.key_lengths[batch];
    return status;
  }
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
  if (sequence >= cache.plan().config.max_sequences) return Status::bad_sequence;
  count = keys_of(cache, sequence);
  return inputs.key_lengths != nullptr && inputs.key_lengths[batch] > count ? Status::bad_length : Status::ok;
}

Status check(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* options,
             std::uint32_t& most) noexcept {
  const AttentionConfig& config = plan.config;
  const KvCache& cache = *inputs.cache;
  const KvCacheConfig& held = cache.plan().config;
  if (held.kv_heads != config.kv_heads || held.head_dim != config.head_dim || held.value_dim != config.value_dim) {
    return Status::plan_mismatch;
  }
  if ((config.integers != 0) != (held.key_type == DataType::int8_integer)) return Status::plan_mismatch;
  if (config.integers == 0 && CacheAccess::value_format(cache) != nullptr &&
      plan.staged_keys * config.head_dim < cache.plan().value_width) {
    return Status::plan_mismatch;
  }
  const KvRing* const ring = CacheAccess::ring(cache);
  Status status = ring != nullptr ? ring->check_call(*ring, inputs, options) : Status::ok;
  std::uint32_t greatest = 0;
  for (std::uint32_t b = 0; b < inputs.entries() && status == Status::ok; ++b) {
    std::uint32_t count = 0;
    status = check_entry(inputs, b, count);
    if (count > greatest) greatest = count;
  }
  most = greatest;
  return status == Status::ok && greatest > config.max_keys ? Status::keys_exceed_plan : status;
}

void open(KeySource& source) noexcept {
  const AttentionInputs& inputs = *source.head.run.inputs;
  const KvCache& cache = *inputs.cache;
  source.in_panels = true;
  if (inputs.page_table != nullptr) {
    source.count = inputs.key_lengths[source.head.batch];
    source.stored = CacheAccess::pages(cache)->stored_keys;
    if (cache.plan().config.key_type == DataType::int8_integer) {
      source.stored = CacheAccess::key_format(cache)->stored_keys;
    }
    return;
  }
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, source.head.batch);
  source.count = keys_of(cache, sequence);
  const Format* format = CacheAccess::key_format(cache);
  if (format == nullptr) format = CacheAccess::value_format(cache);
  if (format != nullptr) {
    source.stored = format->stored_keys;
    return;
  }
  const StoredNumbers keys = key_panel(cache, sequence, source.head.kv_head, 0);
  const StoredNumbers values = value_row(cache, sequence, source.head.kv_head, 0);
  source.keys = reinterpret_cast<const float*>(keys.numbers);
  source.values = reinterpret_cast<const float*>(values.numbers);
  source.value_row = static_cast<std::ptrdiff_t>(cache.plan().value_width);
}

}  // namespace

constexpr KeyReader cache_reader = {check, open, nullptr};

}  // namespace heed::detail
