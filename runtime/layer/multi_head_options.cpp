// SPDX-License-Identifier: MIT
#include "heed/multi_head_options.hpp"

#include "layer/multi_head_call.hpp"
#include "options/option_slice.hpp"
#include "options/options_check.hpp"
#include "positions/rope.hpp"

namespace heed {
namespace detail {
namespace {

/// A layer's options, cut to the rows of one call of the attention.
class OptionHooks {
 public:
  explicit OptionHooks(const MultiHeadOptions& options) noexcept : options_(options) {}

  /// slice_options() goes on from there.
  static std::uint32_t first_scored(std::uint32_t /*first*/) noexcept { return 0; }

  void turn(const ProjectedRows& rows) const noexcept {
    if (options_.rotary == nullptr) return;
    RotaryPositions tokens{.heads = rows.heads, .tokens = rows.rows, .first_positions = &rows.number};
    if (options_.positions != nullptr) {
      tokens.positions = options_.positions + std::size_t{rows.batch} * rows.tokens + rows.first;
    }
    const MutableTensor view = bshd(rows.data, rows.heads, rows.rows, options_.rotary->plan.config.head_dim);
    detail::turn(*options_.rotary, tokens, view, view);
  }

  void run(const AttentionPlan& plan, std::byte* scratch, AttentionInputs& inputs, AttentionOutputs& outputs,
           const LayerRows& rows, const Executor& executor) const noexcept {
    inputs.causal = rows.inputs.causal;
    inputs.causal_offset = rows.inputs.causal_offset;
    std::uint32_t query_length = 0;
    const AttentionOptions part =
        slice_options(options_.attention, {rows.batch, rows.first, inputs.query_count, rows.inputs.tokens}, inputs,
                      outputs.scores, query_length);
    run_attention(plan, scratch, inputs, part, outputs, rows.inputs.tokens, executor);
  }

 private:
  const MultiHeadOptions& options_;
};

/// Positions of `tokens` tokens per batch entry; those of attend() are the last ones of their sequences.
[[nodiscard]] Status check_turns(const MultiHeadPlan& plan, const FloatKvCache& cache, const MultiHeadOptions& options,
                                 std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                 CacheUpdate update) noexcept {
  if (options.rotary == nullptr) return Status::ok;
  const std::uint32_t head_dim = options.rotary->plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (head_dim != plan.config.head_dim) return Status::bad_option;
  for (std::uint32_t b = 0; b < batch; ++b) {
    const std::uint32_t held = update == CacheUpdate::replace ? 0 : cache.length(sequence_of(sequences, b));
    const bool counted = options.positions == nullptr;
    if (counted && update == CacheUpdate::nothing && held < tokens) return Status::bad_length;
    const std::uint32_t first = update == CacheUpdate::nothing ? held - tokens : held;
    const std::uint32_t* const positions = counted ? nullptr : options.positions + std::size_t{b} * tokens;
    const Status status =
        check_positions(*options.rotary, {.tokens = tokens, .positions = positions, .first_positions = &first});
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

/// Everything that a call with options refuses.
[[nodiscard]] Status check_layer_call(const MultiHeadPlan& plan, const FloatKvCache& cache,
                                      const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                      const MultiHeadOutputs& outputs, CacheUpdate update) noexcept {
  MultiHeadOutputs others = outputs;
  others.scores = {};
  Status status = check_call(plan, cache, inputs, others, update);
  if (status != Status::ok) return status;
  AttentionInputs attention;
  attention.batch = inputs.batch;
  attention.query_count = inputs.tokens;
  const AttentionConfig& config = plan.attention.config;
  status = check_options(config, attention, options.attention);
  if (status == Status::ok) {
    status = check_selected_scores(config, attention, options.attention, outputs.scores, outputs.score_stage,
                                   most_keys(cache, inputs, update));
  }
  return status != Status::ok
             ? status
             : check_turns(plan, cache, options, inputs.batch, inputs.sequence_ids, inputs.tokens, update);
}

}  // namespace
}  // namespace detail

using detail::CacheUpdate;

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                  ConstMatrix memory, const MultiHeadOptions& options,
                                  const Executor& executor) noexcept {
  if (arena_ == nullptr) return Status::not_initialised;
  Status status = detail::check_append(plan_, cache_, batch, sequences, tokens, memory);
  if (status == Status::ok) {
    status = detail::check_turns(plan_, cache_, options, batch, sequences, tokens, CacheUpdate::append);
  }
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall<detail::OptionHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  for (std::uint32_t b = 0; b < batch && status == Status::ok; ++b) {
    status = call.append(b, detail::sequence_of(sequences, b), tokens, {memory.row(b, 0), memory.row_stride});
  }
  return status;
}

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                               const MultiHeadOutputs& outputs, CacheUpdate update, const Executor& executor) noexcept {
  const Status status = detail::check_layer_call(plan_, cache_, inputs, options, outputs, update);
  if (status != Status::ok) return status;
  const detail::OptionHooks hooks(options);
  const detail::LayerCall<detail::OptionHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  return call.run(inputs, outputs, update);
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, CacheUpdate::nothing, executor);
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                   const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  MultiHeadInputs causal = inputs;
  causal.causal = Causal::bottom_right;
  return run(causal, options, outputs, CacheUpdate::append, executor);
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOptions& options,
                                  const MultiHeadOutputs& outputs, const Executor& executor) noexcept {
  return run(inputs, options, outputs, CacheUpdate::replace, executor);
}

}  // namespace heed
