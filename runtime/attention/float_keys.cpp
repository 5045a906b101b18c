// SPDX-License-Identifier: MIT
#include "attention/float_keys.hpp"

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

}  // namespace heed::detail
