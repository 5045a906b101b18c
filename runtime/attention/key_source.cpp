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

KeySource::KeySource(const KeyHead& whose) noexcept : head(whose) {
  const AttentionInputs& inputs = *head.run.inputs;
  if (inputs.cache != nullptr) {
    CacheAccess::reader(*inputs.cache).open(*this);
  } else if (inputs.key_count != 0) {
    count = inputs.key_count;
    keys = inputs.key.row(head.batch, head.kv_head, 0);
    key_row = used_stride(count, inputs.key.row_stride);
    values = inputs.value.row(head.batch, head.kv_head, 0);
    value_row = used_stride(count, inputs.value.row_stride);
  }
  length = inputs.key_lengths != nullptr ? inputs.key_lengths[head.batch] : count;
}

const float* KeySource::panels(std::uint32_t first, std::uint32_t& wanted, float* staged) const noexcept {
  if (stored != nullptr) return stored->panels(*this, first, wanted, staged);
  const AttentionPlan& plan = *head.run.plan;
  const std::uint32_t head_dim = plan.config.head_dim;
  if (in_panels) return keys + std::size_t{first} * head_dim;
  wanted = least(wanted, plan.staged_keys);
  for (std::uint32_t k = 0; k < wanted; k += panel_width) {
    const std::uint32_t taken = least(count - (first + k), panel_width);
    const float* keys_of_panel[panel_width];
    for (std::uint32_t r = 0; r < taken; ++r) keys_of_panel[r] = key_rows(first + k + r).first;
    to_panel(keys_of_panel, taken, head_dim, 1.0F, staged + std::size_t{k} * head_dim);
  }
  return staged;
}

}  // namespace heed::detail
