// SPDX-License-Identifier: MIT
#include "attention/float_keys.hpp"

#include <kernels/transpose.hpp>

#include "common/validation.hpp"
#include "heed/float_kv_cache.hpp"

namespace heed::detail {

std::uint32_t key_count(const AttentionInputs& inputs, std::uint32_t batch) noexcept {
  return inputs.cache != nullptr ? inputs.cache->length(sequence_of(inputs.sequence_ids, batch)) : inputs.key_count;
}

FloatPlaces::FloatPlaces(const AttentionRun& run, std::uint32_t batch, std::uint32_t kv_head) noexcept
    : in_panels(run.inputs->cache != nullptr) {
  const AttentionInputs& inputs = *run.inputs;
  count = key_count(inputs, batch);
  length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : count;
  if (in_panels) {
    const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
    keys = inputs.cache->key_panels(sequence, kv_head);
    values = inputs.cache->values(sequence, kv_head);
    value_row = static_cast<std::ptrdiff_t>(inputs.cache->plan().value_width);
  } else if (count != 0) {
    keys = inputs.key.row(batch, kv_head, 0);
    key_row = used_stride(count, inputs.key.row_stride);
    values = inputs.value.row(batch, kv_head, 0);
    value_row = used_stride(count, inputs.value.row_stride);
  }
}

const float* FloatPlaces::panels(const AttentionPlan& plan, std::uint32_t first, std::uint32_t wanted,
                                 float* staged) const noexcept {
  const std::uint32_t head_dim = plan.config.head_dim;
  if (in_panels) return keys + std::size_t{first} * head_dim;
  for (std::uint32_t k = 0; k < wanted; k += panel_width) {
    const std::uint32_t left = count - (first + k);
    const std::uint32_t taken = left < panel_width ? left : panel_width;
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < taken; ++r) rows[r] = key_rows(first + k + r).first;
    to_panel(rows, taken, head_dim, 1.0F, staged + std::size_t{k} * head_dim);
  }
  return staged;
}

}  // namespace heed::detail
