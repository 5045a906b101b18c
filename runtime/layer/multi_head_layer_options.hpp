// SPDX-License-Identifier: MIT
//
// The members of MultiHeadLayer with options, for the source files that instantiate them.
#pragma once

#include "heed/multi_head_options.hpp"
#include "layer/multi_head_layer_rotary.hpp"
#include "options/option_slice.hpp"
#include "options/options_check.hpp"

namespace heed {
namespace detail {

[[nodiscard]] inline LayerRotary rotary_of(const MultiHeadOptions& options) noexcept {
  return {options.rotary, options.positions};
}

/// A layer's options, cut to the rows of one call of the attention.
class OptionHooks {
 public:
  explicit OptionHooks(const MultiHeadOptions& options) noexcept : options_(options) {}

  /// slice_options() goes on from there.
  static std::uint32_t first_scored(std::uint32_t /*first*/) noexcept { return 0; }

  void rotate(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    RotaryHooks(rotary_of(options_)).rotate(rows, heads, data);
  }

  template <class Sequences>
  void attend(const Sequences& sequences, const AttentionPlan& plan, std::byte* scratch, AttentionInputs& inputs,
              AttentionOutputs& outputs, const QuerySlice& slice, const Executor& executor) const noexcept {
    std::uint32_t query_length = 0;
    const AttentionOptions part = slice_options(options_.attention, slice, inputs, outputs.scores, query_length);
    sequences.attend(plan, scratch, slice.batch, inputs, outputs, executor, part);
  }

 private:
  const MultiHeadOptions& options_;
};

/// What a call with options refuses about its attention.
template <class Plan, class Sequences>
[[nodiscard]] Status check_attention_options(const Plan& plan, const Sequences& sequences,
                                             const AttentionOptions& options, const MultiHeadOutputs& outputs,
                                             CacheUpdate update) noexcept {
  AttentionInputs attention;
  attention.batch = sequences.inputs.batch;
  attention.query_count = sequences.inputs.tokens;
  const AttentionConfig& config = plan.attention.config;
  Status status = check_options(config, attention, options);
  if (status == Status::ok) status = sequences.check_masks(&options, update);
  if (status != Status::ok) return status;
  for (std::uint32_t b = 0; options.causal_offsets != nullptr && b < attention.batch; ++b) {
    if (!positions_fit(sequences.inputs, options.causal_offsets[b])) return Status::bad_option;
  }
  return check_selected_scores(config, attention, options, outputs.scores, outputs.score_stage,
                               most_keys(sequences, update));
}

/// Everything that a call with options refuses; outputs are null for one that only appends.
template <class Plan, class Sequences>
[[nodiscard]] Status check_layer_call(const Plan& plan, const Sequences& sequences, const MultiHeadOptions& options,
                                      const MultiHeadOutputs* outputs, CacheUpdate update) noexcept {
  MultiHeadOutputs others;
  if (outputs != nullptr) others = *outputs;
  others.scores = {};
  Status status = check_call(plan, sequences, outputs != nullptr ? &others : nullptr, update);
  if (status == Status::ok && outputs != nullptr) {
    status = check_attention_options(plan, sequences, options.attention, *outputs, update);
  }
  return status != Status::ok ? status : check_rotary(plan, sequences, rotary_of(options), update);
}

}  // namespace detail

template <class Cache>
Status MultiHeadLayer<Cache>::run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                                  const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const auto sequences = detail::sequences_of(*plan_, cache_, inputs);
  const Status status = detail::check_layer_call(*plan_, sequences, options, &outputs, update);
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall call{*plan_, sequences, scratch_, weights_, weight_format_, executor, hooks};
  return call.run(outputs, update);
}

template <class Cache>
Status MultiHeadLayer<Cache>::append(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                     const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const auto sequences = detail::sequences_of(*plan_, cache_, inputs);
  const Status status = detail::check_layer_call(*plan_, sequences, options, nullptr, detail::CacheUpdate::append);
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall call{*plan_, sequences, scratch_, weights_, weight_format_, executor, hooks};
  return call.append();
}

template <class Cache>
Status MultiHeadLayer<Cache>::append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                                     ConstMatrix input, const MultiHeadOptions& options,
                                     const Executor& executor) noexcept {
  return append(detail::append_inputs(batch, sequence_ids, tokens, input), options, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                     const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, detail::CacheUpdate::nothing, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                      const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(detail::prefilled(inputs), options, outputs, detail::CacheUpdate::append, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                     const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, detail::CacheUpdate::replace, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::decode(const float* input, float* output, std::uint32_t sequence_id,
                                     const MultiHeadOptions& options, const Executor& executor) noexcept {
  return run(detail::decode_inputs(input, sequence_id), options, detail::decode_outputs(output),
             detail::CacheUpdate::append, executor);
}

}  // namespace heed
