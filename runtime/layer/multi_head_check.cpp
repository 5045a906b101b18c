// SPDX-License-Identifier: MIT
#include "layer/multi_head_check.hpp"

#include "cache/cache_parts.hpp"
#include "cache/ring.hpp"
#include "common/validation.hpp"

namespace heed::detail {

namespace {

/// Whether the output begins where the input does and goes on otherwise. With the same strides a row is written when
/// nothing reads it any more.
[[nodiscard]] bool steps_differ(const Sequences& sequences, const MutableMatrix& output) noexcept {
  const ConstMatrix& input = sequences.inputs.input;
  return output.data == input.data && ((sequences.inputs.tokens > 1 && output.row_stride != input.row_stride) ||
                                       (sequences.entries > 1 && output.batch_stride != input.batch_stride));
}

[[nodiscard]] Status check_outputs(const Sequences& sequences, const MultiHeadOutputs& outputs,
                                   std::uint32_t keys) noexcept {
  const AttentionConfig& heads = sequences.plan.attention.config;
  const std::uint32_t entries = sequences.entries;
  const std::uint32_t tokens = sequences.inputs.tokens;
  Status status = check_output(outputs.output, entries, tokens, sequences.plan.output.outputs);
  if (status != Status::ok) return status;
  if (steps_differ(sequences, outputs.output)) return Status::overlap;
  if (outputs.head_outputs.data != nullptr) {
    status = check_output(outputs.head_outputs, entries, heads.heads, tokens, heads.value_dim);
    if (status != Status::ok) return status;
  }
  if (outputs.scores.data == nullptr) return Status::ok;
  if (outputs.score_stage > ScoreStage::masked) return Status::bad_option;
  return check_output(outputs.scores, entries, heads.heads, tokens, keys);
}

[[nodiscard]] Status check_counts(const Sequences& sequences) noexcept {
  assert_plan_unchanged(sequences.plan);
  if (sequences.inputs.tokens == 0) return Status::zero_dimension;
  return sequences.entries > max_rows || sequences.inputs.tokens > max_rows ? Status::too_large : Status::ok;
}

}  // namespace

std::uint32_t most_keys(const Sequences& sequences, CacheUpdate update) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < sequences.entries; ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (keys > most) most = keys;
  }
  return most;
}

Status check_append(const Sequences& sequences) noexcept {
  Status status = check_counts(sequences);
  if (status == Status::ok) status = sequences.check(CacheUpdate::append);
  if (status != Status::ok) return status;
  return check_input(sequences.inputs.input, sequences.entries, sequences.inputs.tokens, sequences.plan.key.inputs);
}

Status check_call(const Sequences& sequences, const AttentionOptions* options, const MultiHeadOutputs& outputs,
                  CacheUpdate update) noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadInputs& inputs = sequences.inputs;
  if (update != CacheUpdate::nothing && plan.key.inputs != plan.query.inputs) return Status::plan_mismatch;
  Status status = check_counts(sequences);
  if (status != Status::ok) return status;
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset || !positions_fit(inputs, inputs.causal_offset)) return Status::bad_option;
  status = sequences.check(update);
  if (status != Status::ok) return status;
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < sequences.entries; ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (inputs.key_lengths != nullptr && inputs.key_lengths[b] > keys) return Status::bad_length;
    if (keys > most) most = keys;
  }
  status = check_input(inputs.input, sequences.entries, inputs.tokens, plan.query.inputs);
  if (status == Status::ok) status = check_outputs(sequences, outputs, most);
  const KvRing* const ring = CacheAccess::ring(sequences.cache);
  if (status != Status::ok || ring == nullptr) return status;
  return ring->check_layer_call(*ring, sequences, options, update);
}

}  // namespace heed::detail
