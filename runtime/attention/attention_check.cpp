// SPDX-License-Identifier: MIT
#include "attention/attention_check.hpp"

#include "attention/key_source.hpp"
#include "cache/cache_parts.hpp"
#include "common/validation.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] Status check_cache(const AttentionPlan& plan, const AttentionInputs& inputs,
                                 const AttentionOptions* options) noexcept {
  if (!inputs.cache->initialised()) return Status::not_initialised;
  return CacheAccess::reader(*inputs.cache).check(plan, inputs, options);
}

[[nodiscard]] Status check_tensors(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const float* output) noexcept {
  if (inputs.key_count > config.max_keys) return Status::keys_exceed_plan;
  if (inputs.key_count == 0) return Status::ok;
  Status status = check_input(inputs.key, inputs.entries(), config.kv_heads, inputs.key_count, config.head_dim);
  if (status != Status::ok) return status;
  status = check_input(inputs.value, inputs.entries(), config.kv_heads, inputs.key_count, config.value_dim);
  if (status != Status::ok) return status;
  return output == inputs.key.data || output == inputs.value.data ? Status::overlap : Status::ok;
}

}  // namespace

std::uint32_t most_keys(const AttentionInputs& inputs) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    const std::uint32_t count = key_count(inputs, b);
    if (count > most) most = count;
    if (inputs.cache == nullptr) break;
  }
  return most;
}

Status check_queries(const AttentionConfig& config, const AttentionInputs& inputs) noexcept {
  if (inputs.query_count == 0) return Status::zero_dimension;
  if (inputs.entries() > max_rows || inputs.query_count > max_rows) return Status::too_large;
  // Rows and tiles are counted in 32 bits.
  std::uint32_t rows = 0;
  if (__builtin_mul_overflow(inputs.query_count, config.heads, &rows) || rows / config.kv_heads > max_rows ||
      __builtin_mul_overflow(rows, inputs.entries(), &rows)) {
    return Status::too_large;
  }
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset) return Status::bad_option;
  return check_input(inputs.query, inputs.entries(), config.heads, inputs.query_count, config.head_dim);
}

Status check_keys(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* options,
                  const float* output) noexcept {
  const Status status =
      inputs.cache != nullptr ? check_cache(plan, inputs, options) : check_tensors(plan.config, inputs, output);
  if (status != Status::ok || inputs.key_lengths == nullptr) return status;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    if (inputs.key_lengths[b] > key_count(inputs, b)) return Status::bad_length;
  }
  return Status::ok;
}

Status check_outputs(const AttentionConfig& config, const AttentionInputs& inputs, const AttentionOutputs& outputs,
                     std::uint32_t keys) noexcept {
  const Status status =
      check_output(outputs.output, inputs.entries(), config.heads, inputs.query_count, config.value_dim);
  if (status != Status::ok) return status;
  if (outputs.output.data == inputs.query.data) return Status::overlap;
  if (outputs.scores.data == nullptr) return Status::ok;
  if (outputs.score_stage > ScoreStage::masked) return Status::bad_option;
  return check_output(outputs.scores, inputs.entries(), config.heads, inputs.query_count, keys);
}

Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                       const AttentionOutputs& outputs) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  Status status = check_queries(plan.config, inputs);
  if (status == Status::ok) status = check_keys(plan, inputs, nullptr, outputs.output.data);
  return status != Status::ok ? status : check_outputs(plan.config, inputs, outputs, most_keys(inputs));
}

}  // namespace heed::detail
