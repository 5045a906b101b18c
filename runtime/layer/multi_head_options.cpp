// SPDX-License-Identifier: MIT
#include "heed/layer.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/multi_head_rotary.hpp"
#include "options/option_slice.hpp"
#include "options/options_check.hpp"

namespace heed {
namespace detail {
namespace {

[[nodiscard]] LayerRotary rotary_of(const MultiHeadOptions& options) noexcept {
  return {options.rotary, options.positions};
}

/// A layer's options, cut to the rows of one call of the attention.
class OptionHooks {
 public:
  explicit OptionHooks(const MultiHeadOptions& options) noexcept : options_(options) {}

  /// slice_options() goes on from there.
  static std::uint32_t first_scored(std::uint32_t /*first*/) noexcept { return 0; }

  void finish_queries(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    RotaryHooks(rotary_of(options_)).rotate(rows, heads, data);
  }
  void finish_keys(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    finish_queries(rows, heads, data);
  }

  void attend(const LayerAttention& call, AttentionInputs& inputs, AttentionOutputs& outputs,
              const QuerySlice& slice) const noexcept {
    std::uint32_t query_length = 0;
    const AttentionOptions part = slice_options(options_.attention, slice, inputs, outputs.scores, query_length);
    run_attention(call.plan, call.scratch, CacheAccess::reader(*inputs.cache), inputs, part, outputs, call.tokens,
                  call.executor);
  }

 private:
  const MultiHeadOptions& options_;
};

/// What a call with options refuses about its attention.
[[nodiscard]] Status check_attention_options(const Sequences& sequences, const AttentionOptions& options,
                                             const MultiHeadOutputs& outputs, CacheUpdate update) noexcept {
  AttentionInputs attention;
  attention.batch = sequences.entries;
  attention.query_count = sequences.inputs.tokens;
  const AttentionConfig& config = sequences.plan.attention.config;
  const Status status = check_options(config, attention, options);
  if (status != Status::ok) return status;
  for (std::uint32_t b = 0; options.causal_offsets != nullptr && b < sequences.entries; ++b) {
    if (!positions_fit(sequences.inputs, options.causal_offsets[b])) return Status::bad_option;
  }
  return check_selected_scores(config, attention, options, outputs.scores, outputs.score_stage,
                               most_keys(sequences, update));
}

/// Everything that a call with options refuses.
[[nodiscard]] Status check_layer_call(const Sequences& sequences, const MultiHeadOptions& options,
                                      const MultiHeadOutputs& outputs, CacheUpdate update) noexcept {
  MultiHeadOutputs others = outputs;
  others.scores = {};
  Status status = check_call(sequences, &options.attention, others, update);
  if (status == Status::ok) status = check_attention_options(sequences, options.attention, outputs, update);
  return status != Status::ok ? status : check_rotary(sequences, rotary_of(options), update);
}

}  // namespace
}  // namespace detail

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                               const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                               const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  const Status status = detail::check_layer_call(call.sequences, options, outputs, update);
  if (status != Status::ok) return status;
  return call.run(outputs, update);
}

Status MultiHeadAttention::append(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  Status status = detail::check_append(call.sequences);
  if (status == Status::ok) {
    status = detail::check_rotary(call.sequences, detail::rotary_of(options), detail::CacheUpdate::append);
  }
  if (status != Status::ok) return status;
  return call.append();
}

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                                  ConstMatrix input, const MultiHeadOptions& options,
                                  const Executor& executor) noexcept {
  return append(detail::append_inputs(batch, sequence_ids, tokens, input), options, executor);
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, detail::CacheUpdate::nothing, executor);
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                   const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(detail::prefilled(inputs), options, outputs, detail::CacheUpdate::append, executor);
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, detail::CacheUpdate::replace, executor);
}

Status MultiHeadAttention::decode(const float* input, float* output, std::uint32_t sequence_id,
                                  const MultiHeadOptions& options, const Executor& executor) noexcept {
  return run(detail::decode_inputs(input, sequence_id), options, detail::decode_outputs(output),
             detail::CacheUpdate::append, executor);
}

}  // namespace heed
