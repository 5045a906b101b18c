// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"

#include <kernels/logarithm.hpp>

#include "attention_run.hpp"
#include "attention_unit.hpp"
#include "check.hpp"
#include "heed/cache.hpp"
#include "tasks.hpp"

namespace heed {
namespace detail {
namespace {

/// Keys of a batch entry that can be scored, visible or not.
[[nodiscard]] std::uint32_t key_count(const AttentionInputs& inputs, std::uint32_t batch) noexcept {
  return inputs.cache != nullptr ? inputs.cache->length(sequence_of(inputs.sequences, batch)) : inputs.keys;
}

[[nodiscard]] Status check_cache(const AttentionConfig& config, const AttentionInputs& inputs) noexcept {
  const KeyValueCache& cache = *inputs.cache;
  if (!cache.initialised()) return Status::not_initialised;
  const KeyValueCacheConfig& held = cache.plan().config;
  if (held.kv_heads != config.kv_heads || held.head_dim != config.head_dim || held.value_dim != config.value_dim) {
    return Status::bad_option;
  }
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const std::uint32_t sequence = sequence_of(inputs.sequences, b);
    if (sequence >= held.sequences) return Status::bad_sequence;
    if (cache.length(sequence) > config.max_keys) return Status::keys_exceed_plan;
  }
  return Status::ok;
}

[[nodiscard]] Status check_keys(const AttentionConfig& config, const AttentionInputs& inputs) noexcept {
  if (inputs.cache != nullptr) return check_cache(config, inputs);
  if (inputs.keys > config.max_keys) return Status::keys_exceed_plan;
  if (inputs.keys == 0) return Status::ok;
  const Status status = check_input(inputs.key, inputs.batch, config.kv_heads, inputs.keys, config.head_dim);
  if (status != Status::ok) return status;
  return check_input(inputs.value, inputs.batch, config.kv_heads, inputs.keys, config.value_dim);
}

[[nodiscard]] Status check_inputs(const AttentionConfig& config, const AttentionInputs& inputs) noexcept {
  if (inputs.batch == 0 || inputs.queries == 0) return Status::zero_dimension;
  if (inputs.batch > max_rows || inputs.queries > max_rows) return Status::too_large;
  // Rows and units are counted in 32 bits.
  const std::uint64_t rows = std::uint64_t{inputs.queries} * (config.heads / config.kv_heads);
  if (rows > max_rows || rows * config.kv_heads > UINT32_MAX || rows * config.kv_heads * inputs.batch > UINT32_MAX) {
    return Status::too_large;
  }
  if (!is_finite(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset) return Status::bad_option;
  Status status = check_input(inputs.query, inputs.batch, config.heads, inputs.queries, config.head_dim);
  if (status != Status::ok) return status;
  status = check_keys(config, inputs);
  if (status != Status::ok || inputs.key_lengths == nullptr) return status;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    if (inputs.key_lengths[b] > key_count(inputs, b)) return Status::bad_length;
  }
  return Status::ok;
}

[[nodiscard]] Status check_outputs(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const AttentionOutputs& outputs) noexcept {
  const Status status = check_output(outputs.output, inputs.batch, config.heads, inputs.queries, config.value_dim);
  if (status != Status::ok || outputs.scores.data == nullptr) return status;
  if (outputs.score_stage > ScoreStage::weights) return Status::bad_option;
  std::uint32_t keys = 0;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    if (key_count(inputs, b) > keys) keys = key_count(inputs, b);
    if (inputs.cache == nullptr) break;
  }
  return check_output(outputs.scores, inputs.batch, config.heads, inputs.queries, keys);
}

}  // namespace

Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                       const AttentionOutputs& outputs) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  const Status status = check_inputs(plan.config, inputs);
  return status != Status::ok ? status : check_outputs(plan.config, inputs, outputs);
}

KeysAndValues keys_and_values(const AttentionRun& run, std::uint32_t batch, std::uint32_t kv_head) noexcept {
  const AttentionInputs& inputs = *run.inputs;
  const std::uint32_t count = key_count(inputs, batch);
  const std::uint32_t length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : count;
  if (inputs.cache != nullptr) {
    const std::uint32_t sequence = sequence_of(inputs.sequences, batch);
    return {inputs.cache->key_panels(sequence, kv_head),
            true,
            0,
            inputs.cache->values(sequence, kv_head),
            static_cast<std::ptrdiff_t>(inputs.cache->plan().value_width),
            count,
            length};
  }
  if (count == 0) return {nullptr, false, 0, nullptr, 0, 0, 0};
  return {inputs.key.row(batch, kv_head, 0),
          false,
          inputs.key.row_stride,
          inputs.value.row(batch, kv_head, 0),
          inputs.value.row_stride,
          count,
          length};
}

void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept {
  const AttentionConfig& config = plan.config;
  const float scale = inputs.scale != 0.0F ? inputs.scale : 1.0F / __builtin_sqrtf(static_cast<float>(config.head_dim));
  const std::uint32_t group = config.heads / config.kv_heads;
  const std::uint32_t rows = inputs.queries * group;
  const AttentionRun run{&plan,
                         &inputs,
                         &outputs,
                         scale * log2_e,
                         log_sum_exp_head,
                         group,
                         rows,
                         (rows + plan.unit_rows - 1) / plan.unit_rows};
  const std::uint32_t units = inputs.batch * config.kv_heads * run.row_units;
  for_each_item(executor, config.workers, units, [&](std::uint32_t worker, std::uint32_t unit) noexcept {
    run_unit(run, unit, arena + std::size_t{worker} * plan.worker_bytes);
  });
}

}  // namespace detail

Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
              const AttentionOutputs& outputs, const Executor& executor) noexcept {
  Status status = detail::check_attention(plan, inputs, outputs);
  if (status != Status::ok) return status;
  status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::run_attention(plan, arena.data(), inputs, outputs, inputs.queries, executor);
  return Status::ok;
}

}  // namespace heed
