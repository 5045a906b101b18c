// SPDX-License-Identifier: MIT
#include "attention/attention_check.hpp"

#include <port.hpp>

#include "attention/key_source.hpp"
#include "cache/cache_parts.hpp"
#include "common/validation.hpp"

namespace heed::detail {
Status check_queries(const AttentionConfig& config, const AttentionInputs& inputs) noexcept {
  if (inputs.query_count == 0) return Status::zero_dimension;
  if (inputs.entries() > max_rows || inputs.query_count > max_rows) return Status::too_large;
  // Rows and tiles are counted in 32 bits.
  std::uint32_t rows = 0;
  if (port::multiply_overflows(inputs.query_count, config.heads, rows) ||
      port::whole_quotient(rows, config.kv_heads) > max_rows ||
      port::multiply_overflows(rows, inputs.entries(), rows)) {
    return Status::too_large;
  }
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset) return Status::bad_option;
  return check_input(inputs.query, inputs.entries(), config.heads, inputs.query_count, config.head_dim);
}

Status check_keys(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* options,
                  const float* output, std::uint32_t& most) noexcept {
  const KeyReader* const reader = reader_of(inputs);
  if (reader == nullptr) return Status::not_initialised;
  const Status status = reader->check(plan, inputs, options, most);
  if (status != Status::ok || inputs.cache != nullptr || inputs.key_count == 0) return status;
  return output == inputs.key.data || output == inputs.value.data ? Status::overlap : Status::ok;
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
  std::uint32_t most = 0;
  if (status == Status::ok) status = check_keys(plan, inputs, nullptr, outputs.output.data, most);
  return status != Status::ok ? status : check_outputs(plan.config, inputs, outputs, most);
}

}  // namespace heed::detail
