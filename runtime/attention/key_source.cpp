// SPDX-License-Identifier: MIT
#include "attention/key_source.hpp"

#include <kernels/transpose.hpp>

#include "cache/cache_parts.hpp"
#include "cache/ring.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"

namespace heed::detail {

bool attends_in_ring(const AttentionRun& run, std::byte* arena, const Executor& executor) noexcept {
  const KvCache* const cache = run.inputs->cache;
  const KvRing* const ring = cache != nullptr ? CacheAccess::ring(*cache) : nullptr;
  return ring != nullptr && ring->attend != nullptr && ring->attend(run, arena, executor);
}

KeySource::KeySource(const KeyHead& whose) noexcept : head(whose) {
  const AttentionInputs& inputs = *head.run.inputs;
  head.run.reader->open(*this);
  length = inputs.key_lengths != nullptr ? inputs.key_lengths[head.batch] : count;
}

const float* KeySource::panels(std::uint32_t first, std::uint32_t& wanted, float* staged) const noexcept {
  if (stored != nullptr) return stored->panels(*this, first, wanted, staged);
  if (!in_panels) return head.run.reader->stage(*this, first, wanted, staged);
  return keys + std::size_t{first} * head.run.plan->config.head_dim;
}

namespace {

Status check_tensors(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* /*options*/,
                     std::uint32_t& most) noexcept {
  const AttentionConfig& config = plan.config;
  const std::uint32_t count = inputs.key_count;
  most = count;
  if (config.integers != 0) return Status::plan_mismatch;
  if (count > config.max_keys) return Status::keys_exceed_plan;
  Status status = Status::ok;
  if (count != 0) status = check_input(inputs.key, inputs.entries(), config.kv_heads, count, config.head_dim);
  if (status == Status::ok && count != 0) {
    status = check_input(inputs.value, inputs.entries(), config.kv_heads, count, config.value_dim);
  }
  for (std::uint32_t b = 0; inputs.key_lengths != nullptr && b < inputs.entries() && status == Status::ok; ++b) {
    if (inputs.key_lengths[b] > count) status = Status::bad_length;
  }
  return status;
}

void open_tensors(KeySource& source) noexcept {
  const AttentionInputs& inputs = *source.head.run.inputs;
  source.count = inputs.key_count;
  if (source.count == 0) return;
  source.keys = inputs.key.row(source.head.batch, source.head.kv_head, 0);
  source.key_row = used_stride(source.count, inputs.key.row_stride);
  source.values = inputs.value.row(source.head.batch, source.head.kv_head, 0);
  source.value_row = used_stride(source.count, inputs.value.row_stride);
}

const float* stage_rows(const KeySource& source, std::uint32_t first, std::uint32_t& wanted, float* staged) noexcept {
  const AttentionPlan& plan = *source.head.run.plan;
  const std::uint32_t head_dim = plan.config.head_dim;
  wanted = least(wanted, plan.staged_keys);
  for (std::uint32_t k = 0; k < wanted; k += panel_width) {
    const std::uint32_t taken = least(source.count - (first + k), panel_width);
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < taken; ++r) rows[r] = source.key_rows(first + k + r).first;
    to_panel(rows, taken, head_dim, 1.0F, staged + std::size_t{k} * head_dim);
  }
  return staged;
}

}  // namespace

constexpr KeyReader tensor_reader = {check_tensors, open_tensors, stage_rows};

}  // namespace heed::detail
