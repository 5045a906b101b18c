// SPDX-License-Identifier: MIT
#include "heed/multi_head_options.hpp"

#include "multi_head_call.hpp"
#include "options_check.hpp"

namespace heed {
namespace detail {
namespace {

/// A layer's options, cut to the rows of one call of the attention.
class OptionHooks {
 public:
  explicit OptionHooks(const MultiHeadOptions& options) noexcept : options_(options) {}

  void rotate_keys(float*, std::uint32_t, std::uint32_t, std::uint32_t) const noexcept {}
  void rotate_queries(float*, std::uint32_t, std::uint32_t) const noexcept {}

  void run(const AttentionPlan& plan, std::byte* scratch, AttentionInputs inputs, const AttentionOutputs& outputs,
           const LayerRows& rows, const Executor& executor) const noexcept {
    AttentionOptions part = options_.attention;
    std::uint32_t queries = rows.inputs.tokens;
    std::uint32_t left = inputs.queries;
    if (part.query_lengths != nullptr) {
      queries = part.query_lengths[rows.batch];
      left = queries > rows.first ? at_most(queries - rows.first, inputs.queries) : 0;
      part.query_lengths = &left;
    }
    MultiHeadInputs whole = rows.inputs;
    whole.tokens = queries;
    if (part.causal_offsets != nullptr) whole.causal_offset = part.causal_offsets[rows.batch];
    inputs.causal_offset = offset_of(whole, inputs.key_lengths[0], rows.first);
    part.causal_offsets = nullptr;
    if (part.prefix_lengths != nullptr) part.prefix_lengths += rows.batch;
    if (part.bool_mask.data != nullptr) {
      part.bool_mask.data += static_cast<std::ptrdiff_t>(rows.batch) * part.bool_mask.batch_stride +
                             static_cast<std::ptrdiff_t>(rows.first) * part.bool_mask.query_stride;
    }
    for (ScoreBias* bias : {&part.mask, &part.pre_cap_bias}) {
      if (bias->data.data != nullptr) bias->data.data = bias->data.row(rows.batch, 0, rows.first);
    }
    run_attention(plan, scratch, inputs, part, outputs, rows.inputs.tokens, executor);
  }

 private:
  const MultiHeadOptions& options_;
};

/// What the attention's options would be refused for, seen from the layer.
[[nodiscard]] Status check_layer_options(const MultiHeadPlan& plan, const MultiHeadInputs& inputs,
                                         const MultiHeadOptions& options) noexcept {
  AttentionInputs attention;
  attention.batch = inputs.batch;
  attention.queries = inputs.tokens;
  return check_options(plan.attention.config, attention, options.attention);
}

}  // namespace
}  // namespace detail

using detail::Before;

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                  ConstMatrix memory, const MultiHeadOptions& options,
                                  const Executor& executor) noexcept {
  if (arena_ == nullptr) return Status::not_initialised;
  Status status = detail::check_append(plan_, cache_, batch, sequences, tokens, memory);
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall<detail::OptionHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  for (std::uint32_t b = 0; b < batch && status == Status::ok; ++b) {
    status = call.append(detail::sequence_of(sequences, b), tokens, {memory.row(b, 0), memory.row_stride});
  }
  return status;
}

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                               const MultiHeadOutputs& outputs, Before before, const Executor& executor) noexcept {
  Status status = detail::check_call(plan_, cache_, inputs, outputs, before);
  if (status == Status::ok) status = detail::check_layer_options(plan_, inputs, options);
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall<detail::OptionHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  return call.run(inputs, outputs, before);
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, Before::nothing, executor);
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                   const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  MultiHeadInputs causal = inputs;
  causal.causal = Causal::bottom_right;
  return run(causal, options, outputs, Before::append, executor);
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, Before::replace, executor);
}

}  // namespace heed
