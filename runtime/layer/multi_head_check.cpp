// SPDX-License-Identifier: MIT
#include "layer/multi_head_check.hpp"

namespace heed::detail {

Status check_outputs(const AttentionConfig& heads, std::uint32_t output_dim, const MultiHeadInputs& inputs,
                     const MultiHeadOutputs& outputs, std::uint32_t keys) noexcept {
  Status status = check_output(outputs.output, inputs.batch, inputs.tokens, output_dim);
  if (status == Status::ok && outputs.head_outputs.data != nullptr) {
    status = check_output(outputs.head_outputs, inputs.batch, heads.heads, inputs.tokens, heads.value_dim);
  }
  if (status == Status::ok && outputs.scores.data != nullptr) {
    if (outputs.score_stage > ScoreStage::masked) return Status::bad_option;
    status = check_output(outputs.scores, inputs.batch, heads.heads, inputs.tokens, keys);
  }
  return status;
}

Status check_numbers(const MultiHeadInputs& inputs, bool attends, bool same_dims) noexcept {
  if (attends && !same_dims) return Status::plan_mismatch;
  if (inputs.batch == 0 || inputs.tokens == 0) return Status::zero_dimension;
  if (inputs.batch > max_rows || inputs.tokens > max_rows) return Status::too_large;
  if (!attends) return Status::ok;
  if (!is_scale(inputs.scale)) return Status::bad_scale;
  if (inputs.causal > Causal::offset) return Status::bad_option;
  return positions_fit(inputs, inputs.causal_offset) ? Status::ok : Status::bad_option;
}

}  // namespace heed::detail
