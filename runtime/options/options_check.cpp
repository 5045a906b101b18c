// SPDX-License-Identifier: MIT
#include "options/options_check.hpp"

#include "attention/attention_check.hpp"
#include "common/constants.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"

namespace heed::detail {
namespace {

constexpr std::uint32_t most_window = 1U << 31;

/// A sink may be -inf, which is none.
[[nodiscard]] Status check_sinks(const AttentionConfig& config, const AttentionOptions& options) noexcept {
  if (options.sink_logits == nullptr) return Status::ok;
  if (options.smooth_softmax) return Status::bad_option;
  for (std::uint32_t head = 0; head < config.heads; ++head) {
    if (!(options.sink_logits[head] * log2_e <= -lowest)) return Status::bad_option;
  }
  return Status::ok;
}

[[nodiscard]] bool fits(std::uint32_t first, std::uint32_t count, std::uint32_t all) noexcept {
  return first < all && count <= all - first;
}

[[nodiscard]] Status check_bias(const AttentionConfig& config, const AttentionInputs& inputs,
                                const ScoreBias& bias) noexcept {
  if (bias.data.data == nullptr) return Status::ok;
  return check_input(bias.data, inputs.entries(), config.heads, inputs.query_count, bias.key_count);
}

[[nodiscard]] Status check_mask(const AttentionConfig& config, const AttentionInputs& inputs,
                                const BoolMask& mask) noexcept {
  if (mask.format > MaskFormat::bits) return Status::bad_option;
  if (mask.data == nullptr) return Status::ok;
  const Extent extents[] = {
      {inputs.entries(), mask.batch_stride}, {config.heads, mask.head_stride}, {inputs.query_count, mask.query_stride}};
  return check_input(
      mask.data, extents,
      mask.format == MaskFormat::bits ? mask.key_count / 8 + (mask.key_count % 8 != 0 ? 1 : 0) : mask.key_count);
}

[[nodiscard]] Status check_relative(const AttentionConfig& config, const RelativeBias& bias) noexcept {
  if (bias.values == nullptr) return Status::ok;
  if (bias.left >= max_rows || bias.right >= max_rows) return Status::too_large;
  const Extent extents[] = {{config.heads, bias.head_stride}};
  return check_input(bias.values, extents, bias.left + 1 + bias.right);
}

[[nodiscard]] Status check_lengths(const AttentionInputs& inputs, const AttentionOptions& options) noexcept {
  for (std::uint32_t b = 0; options.query_lengths != nullptr && b < inputs.entries(); ++b) {
    if (options.query_lengths[b] > inputs.query_count) return Status::bad_length;
  }
  return Status::ok;
}

}  // namespace

Status check_options(const AttentionConfig& config, const AttentionInputs& inputs,
                     const AttentionOptions& options) noexcept {
  if (options.left_window > most_window || options.right_window > most_window) return Status::bad_option;
  if (options.softcap != 0.0F && !(options.softcap >= least_softcap && options.softcap <= greatest_softcap)) {
    return Status::bad_option;
  }
  const ScoreSelection& scores = options.score_selection;
  if (!fits(scores.first_head, scores.head_count, config.heads)) return Status::bad_length;
  if (!fits(scores.first_query, scores.query_count, inputs.query_count)) return Status::bad_length;
  Status status = check_sinks(config, options);
  if (status == Status::ok) status = check_lengths(inputs, options);
  if (status == Status::ok) status = check_mask(config, inputs, options.bool_mask);
  if (status == Status::ok) status = check_bias(config, inputs, options.additive_mask);
  if (status == Status::ok) status = check_bias(config, inputs, options.pre_softcap_bias);
  return status != Status::ok ? status : check_relative(config, options.relative_bias);
}

Status check_selected_scores(const AttentionConfig& config, const AttentionInputs& inputs,
                             const AttentionOptions& options, const MutableTensor& scores, ScoreStage stage,
                             std::uint32_t keys) noexcept {
  if (scores.data == nullptr) return Status::ok;
  if (stage > ScoreStage::masked) return Status::bad_option;
  const ScoreSelection& wanted = options.score_selection;
  return check_output(scores, inputs.entries(), selected(wanted.head_count, wanted.first_head, config.heads),
                      selected(wanted.query_count, wanted.first_query, inputs.query_count), keys);
}

Status check_selected_outputs(const AttentionConfig& config, const AttentionInputs& inputs,
                              const AttentionOptions& options, const AttentionOutputs& outputs,
                              std::uint32_t keys) noexcept {
  AttentionOutputs others = outputs;
  others.scores = {};
  const Status status = check_outputs(config, inputs, others, keys);
  if (status != Status::ok) return status;
  return check_selected_scores(config, inputs, options, outputs.scores, outputs.score_stage, keys);
}

Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions& options,
                       const AttentionOutputs& outputs) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  Status status = check_queries(plan.config, inputs);
  std::uint32_t most = 0;
  if (status == Status::ok) status = check_keys(plan, inputs, &options, outputs.output.data, most);
  if (status == Status::ok) status = check_options(plan.config, inputs, options);
  return status != Status::ok ? status : check_selected_outputs(plan.config, inputs, options, outputs, most);
}

}  // namespace heed::detail
