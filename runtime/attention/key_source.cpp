// SPDX-License-Identifier: MIT
#include "attention/key_source.hpp"

#include <kernels/transpose.hpp>

#include "cache/cache_parts.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"

namespace heed::detail {

std::uint32_t key_count(const AttentionInputs& inputs, std::uint32_t batch) noexcept {
  if (inputs.cache == nullptr) return inputs.key_count;
  return CacheAccess::reader(*inputs.cache).key_count(inputs, batch);
}

bool attends_in_cache(const AttentionRun& run, std::byte* arena, const Executor& executor) noexcept {
  const KvCache* const cache = run.inputs->cache;
  return cache != nullptr && CacheAccess::reader(*cache).attend(run, arena, executor);
}

KeySource::KeySource(const AttentionRun& call, std::uint32_t entry, std::uint32_t head) noexcept
    : run(call), batch(entry), kv_head(head) {
  const AttentionInputs& inputs = *run.inputs;
  count = key_count(inputs, batch);
  length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : count;
  if (inputs.cache != nullptr) {
    CacheAccess::reader(*inputs.cache).open(*this);
  } else if (count != 0) {
    keys = inputs.key.row(batch, kv_head, 0);
    key_row = used_stride(count, inputs.key.row_stride);
    values = inputs.value.row(batch, kv_head, 0);
    value_row = used_stride(count, inputs.value.row_stride);
  }
}

const float* KeySource::panels(std::uint32_t first, std::uint32_t& wanted, float* staged) const noexcept {
  if (stored != nullptr) return stored->panels(*this, first, wanted, staged);
  const std::uint32_t head_dim = run.plan->config.head_dim;
  if (in_panels) return keys + std::size_t{first} * head_dim;
  wanted = least(wanted, run.plan->staged_keys);
  for (std::uint32_t k = 0; k < wanted; k += panel_width) {
    const std::uint32_t taken = least(count - (first + k), panel_width);
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < taken; ++r) rows[r] = key_rows(first + k + r).first;
    to_panel(rows, taken, head_dim, 1.0F, staged + std::size_t{k} * head_dim);
  }
  return staged;
}

}  // namespace heed::detail
