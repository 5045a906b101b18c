// SPDX-License-Identifier: MIT
#include "layer/multi_head_check.hpp"

#include "common/validation.hpp"

namespace heed::detail {

namespace {

/// Whether the output begins where the input does and goes on otherwise. With the same strides a row is written when
/// nothing reads it any more.
[[nodiscard]] bool steps_differ(const MultiHeadInputs& inputs, const MutableMatrix& output) noexcept {
  return output.data == inputs.input.data &&
         ((inputs.tokens > 1 && output.row_stride != inputs.input.row_stride) ||
          (inputs.entries() > 1 && output.batch_stride != inputs.input.batch_stride));
}

[[nodiscard]] Status check_outputs(const AttentionConfig& heads, std::uint32_t output_dim,
                                   const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                   std::uint32_t keys) noexcept {
  Status status = check_output(outputs.output, inputs.entries(), inputs.tokens, output_dim);
  if (status != Status::ok) return status;
  if (steps_differ(inputs, outputs.output)) return Status::overlap;
  if (outputs.head_outputs.data != nullptr) {
    status = check_output(outputs.head_outputs, inputs.entries(), heads.heads, inputs.tokens, heads.value_dim);
    if (status != Status::ok) return status;
  }
  if (outputs.scores.data == nullptr) return Status::ok;
  if (outputs.score_stage > ScoreStage::masked) return Status::bad_option;
  return check_output(outputs.scores, inputs.entries(), heads.heads, inputs.tokens, keys);
}

[[nodiscard]] Status check_numbers(const MultiHeadInputs& inputs, bool attends, bool same_dims) noexcept {
  if (attends && !same_dims) return Status::plan_mismatch;
  if (inputs.tokens == 0) return Status::zero_dimension;
  if (inputs.entries() > max_rows || inputs.tokens > max_rows) return Status::too_large;
  if (!attends) return Status::ok;
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  const bool masked = inputs.causal <= Causal::offset && positions_fit(inputs, inputs.causal_offset);
  return masked ? Status::ok : Status::bad_option;
}

}  // namespace

std::uint32_t most_keys(const Sequences& sequences, CacheUpdate update) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < sequences.inputs.entries(); ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (keys > most) most = keys;
  }
  return most;
}

Status check_call(const MultiHeadPlan& plan, const Sequences& sequences, const MultiHeadOutputs* outputs,
                  CacheUpdate update) noexcept {
  expect_as_made(plan);
  const MultiHeadInputs& inputs = sequences.inputs;
  const bool attends = outputs != nullptr;
  const bool same_dims = update == CacheUpdate::nothing || plan.key.inputs == plan.query.inputs;
  Status status = check_numbers(inputs, attends, same_dims);
  if (status == Status::ok) status = sequences.check(update);
  if (status != Status::ok) return status;
  if (!attends) return check_input(inputs.input, inputs.entries(), inputs.tokens, plan.key.inputs);
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < inputs.entries(); ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (inputs.key_lengths != nullptr && inputs.key_lengths[b] > keys) return Status::bad_length;
    if (keys > most) most = keys;
  }
  status = check_input(inputs.input, inputs.entries(), inputs.tokens, plan.query.inputs);
  if (status != Status::ok) return status;
  return check_outputs(plan.attention.config, plan.output.outputs, inputs, *outputs, most);
}

}  // namespace heed::detail
