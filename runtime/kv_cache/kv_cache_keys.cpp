// SPDX-License-Identifier: MIT
#include "kv_cache/kv_cache_keys.hpp"

#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "kv_cache/decoded_keys.hpp"
#include "kv_cache/quantized_gemm.hpp"

namespace heed::detail {
namespace {

/// Where a key of a batch entry lies.
struct Place {
  std::uint32_t sequence;
  std::uint32_t slot;
};

[[nodiscard]] Place place_of(const KvCacheKeys& keys, std::uint32_t key) noexcept {
  if (keys.pages == nullptr) return {keys.sequence, key};
  const std::uint32_t page_keys = keys.cache.plan().config.max_keys;
  return {keys.pages[key / page_keys], key % page_keys};
}

/// Rows of values that the staging room holds.
[[nodiscard]] std::uint32_t staged_values(const AttentionPlan& plan, const KvCachePlan& cache) noexcept {
  return plan.staged_keys * plan.config.head_dim / cache.value_width;
}

/// The sequence or the pages of one batch entry.
[[nodiscard]] Status check_entry(const AttentionInputs& inputs, const KvCacheView& view, std::uint32_t batch) noexcept {
  const KvCache& cache = *view.cache;
  const KvCacheConfig& held = cache.plan().config;
  if (view.block_table == nullptr) {
    const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
    return sequence < held.max_sequences ? Status::ok : Status::bad_sequence;
  }
  const std::uint32_t* pages = view.block_table + std::size_t{batch} * view.max_blocks;
  std::uint32_t left = inputs.key_lengths[batch];
  for (std::uint32_t p = 0; left != 0; ++p) {
    if (p == view.max_blocks) return Status::bad_length;
    if (pages[p] >= held.max_sequences) return Status::bad_sequence;
    const std::uint32_t here = least(left, held.max_keys);
    if (cache.length(pages[p]) < here) return Status::bad_length;
    if (has_wrapped(cache, pages[p])) return Status::ring_wrapped;
    left -= here;
  }
  return Status::ok;
}

}  // namespace

KvCacheKeys::KvCacheKeys(const AttentionRun& run, std::uint32_t batch, std::uint32_t head) noexcept
    : cache(*run.kv_cache->cache),
      pages(run.kv_cache->block_table == nullptr
                ? nullptr
                : run.kv_cache->block_table + std::size_t{batch} * run.kv_cache->max_blocks),
      sequence(sequence_of(run.inputs->sequence_ids, batch)),
      kv_head(head),
      count(kv_cache_key_count(*run.inputs, *run.kv_cache, batch)),
      length(run.inputs->key_lengths != nullptr ? run.inputs->key_lengths[batch] : count) {}

std::uint32_t KvCacheKeys::panels_at_once(const AttentionPlan& plan, std::uint32_t rows, std::uint32_t first,
                                          std::uint32_t wanted) const noexcept {
  const KvCacheConfig& held = cache.plan().config;
  if (pages != nullptr) wanted = least(wanted, held.max_keys - first % held.max_keys);
  const bool staged = held.key_type != DataType::float32 && !decodes_in_registers(held.key_type, rows);
  return staged ? least(wanted, plan.staged_keys) : wanted;
}

std::uint32_t KvCacheKeys::values_at_once(const AttentionPlan& plan, std::uint32_t rows, std::uint32_t first,
                                          std::uint32_t wanted) const noexcept {
  const KvCacheConfig& held = cache.plan().config;
  if (pages != nullptr) wanted = least(wanted, held.max_keys - first % held.max_keys);
  const bool staged = held.value_type != DataType::float32 && !decodes_in_registers(held.value_type, rows);
  return staged ? least(wanted, staged_values(plan, cache.plan())) : wanted;
}

const float* KvCacheKeys::panels(const AttentionPlan& /*plan*/, std::uint32_t first, std::uint32_t wanted,
                                 float* staged) const noexcept {
  const Place place = place_of(*this, first);
  return dequantize_keys(cache, place.sequence, kv_head, place.slot, wanted / panel_width, staged);
}

void KvCacheKeys::multiply_keys(const AttentionPlan& plan, std::uint32_t first, float* staged,
                                Gemm product) const noexcept {
  if (decodes_in_registers(cache.plan().config.key_type, product.rows)) {
    const Place place = place_of(*this, first);
    multiply_quantized_keys(cache, place.sequence, kv_head, place.slot, product);
    return;
  }
  product.b = panels(plan, first, product.columns, staged);
  multiply(product);
}

void KvCacheKeys::multiply_values(const AttentionPlan& /*plan*/, std::uint32_t first, float* staged,
                                  Gemm product) const noexcept {
  const Place place = place_of(*this, first);
  if (decodes_in_registers(cache.plan().config.value_type, product.rows)) {
    multiply_quantized_values(cache, place.sequence, kv_head, place.slot, product);
    return;
  }
  product.b = dequantize_values(cache, place.sequence, kv_head, place.slot, product.depth, staged);
  product.b_step = static_cast<std::ptrdiff_t>(cache.plan().value_width);
  multiply(product);
}

std::uint32_t kv_cache_key_count(const AttentionInputs& inputs, const KvCacheView& view, std::uint32_t batch) noexcept {
  if (view.block_table != nullptr) return inputs.key_lengths[batch];
  return view.cache->length(sequence_of(inputs.sequence_ids, batch));
}

bool has_wrapped(const KvCache& cache, std::uint32_t sequence) noexcept {
  return cache.tokens(sequence) > cache.length(sequence);
}

Status check_kv_cache_keys(const AttentionPlan& plan, const AttentionInputs& inputs, const KvCacheView& view,
                           std::uint32_t& keys) noexcept {
  const AttentionConfig& config = plan.config;
  if (view.cache == nullptr) return Status::null_pointer;
  const KvCache& cache = *view.cache;
  if (!cache.initialised()) return Status::not_initialised;
  const KvCacheConfig& held = cache.plan().config;
  if (held.kv_heads != config.kv_heads || held.head_dim != config.head_dim || held.value_dim != config.value_dim) {
    return Status::plan_mismatch;
  }
  if (held.value_type != DataType::float32 && staged_values(plan, cache.plan()) == 0) return Status::plan_mismatch;
  if (view.block_table != nullptr) {
    if (inputs.key_lengths == nullptr) return Status::null_pointer;
    if (held.max_keys % panel_width != 0) return Status::plan_mismatch;
  }
  keys = 0;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const Status status = check_entry(inputs, view, b);
    if (status != Status::ok) return status;
    const std::uint32_t count = kv_cache_key_count(inputs, view, b);
    if (count > config.max_keys) return Status::keys_exceed_plan;
    if (inputs.key_lengths != nullptr && inputs.key_lengths[b] > count) return Status::bad_length;
    if (count > keys) keys = count;
  }
  return Status::ok;
}

}  // namespace heed::detail
