// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"

#include "attention/attention_check.hpp"
#include "attention/causal_rules.hpp"
#include "attention/launch.hpp"
#include "common/as_made.hpp"
#include "common/constants.hpp"
#include "common/validation.hpp"
#include "heed/float_kv_cache.hpp"

namespace heed {
namespace detail {

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

AttentionRun make_run(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOutputs& outputs,
                      std::size_t log_sum_exp_head) noexcept {
  const AttentionConfig& config = plan.config;
  const float scale = inputs.scale != 0.0F ? inputs.scale : 1.0F / __builtin_sqrtf(static_cast<float>(config.head_dim));
  const std::uint32_t group = config.heads / config.kv_heads;
  const std::uint32_t rows = inputs.query_count * group;
  return {&plan,
          &inputs,
          &outputs,
          scale * log2_e,
          log_sum_exp_head,
          group,
          rows,
          (rows + plan.unit_rows - 1) / plan.unit_rows};
}

void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept {
  const AttentionRun run = make_run(plan, inputs, outputs, log_sum_exp_head);
  launch(
      run, arena, executor,
      [&](std::uint32_t batch, std::uint32_t length) noexcept { return CausalRules(run, batch, length); },
      [&](std::uint32_t batch, std::uint32_t kv_head) noexcept { return FloatKeys(run, batch, kv_head); });
}

}  // namespace detail

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const AttentionOutputs& outputs, const Executor& executor) noexcept {
  Status status = detail::check_attention(plan, inputs, outputs);
  if (status != Status::ok) return status;
  status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::expect_as_made(plan);
  detail::run_attention(plan, arena.data(), inputs, outputs, inputs.query_count, executor);
  return Status::ok;
}

}  // namespace heed
