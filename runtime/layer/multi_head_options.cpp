// SPDX-License-Identifier: MIT
#include "heed/multi_head_options.hpp"

#include "layer/multi_head_call.hpp"
#include "options/options_check.hpp"
#include "positions/rope.hpp"

namespace heed {
namespace detail {
namespace {

/// A layer's options, cut to the rows of one call of the attention.
class OptionHooks {
 public:
  explicit OptionHooks(const MultiHeadOptions& options) noexcept : options_(options) {}

  /// cut() goes on from there.
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

  void run(const AttentionPlan& plan, std::byte* scratch, AttentionInputs inputs, AttentionOutputs outputs,
           const LayerRows& rows, const Executor& executor) const noexcept {
    AttentionOptions part = options_.attention;
    std::uint32_t queries = rows.inputs.tokens;
    std::uint32_t left = inputs.query_count;
    if (part.query_lengths != nullptr) {
      queries = part.query_lengths[rows.batch];
      left = queries > rows.first ? at_most(queries - rows.first, inputs.query_count) : 0;
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
    for (ScoreBias* bias : {&part.additive_mask, &part.pre_softcap_bias}) {
      if (bias->data.data != nullptr) bias->data.data = bias->data.row(rows.batch, 0, rows.first);
    }
    cut(part.score_selection, inputs.query_count, rows, outputs);
    run_attention(plan, scratch, inputs, part, outputs, rows.inputs.tokens, executor);
  }

 private:
  /// The selected queries among those of one call, whose scores begin with those of the first selected query.
  static void cut(ScoreSelection& scores, std::uint32_t queries, const LayerRows& rows,
                  AttentionOutputs& outputs) noexcept {
    if (outputs.scores.data == nullptr) return;
    const std::uint32_t end = scores.first_query + selected(scores.query_count, scores.first_query, rows.inputs.tokens);
    const std::uint32_t from = scores.first_query > rows.first ? scores.first_query : rows.first;
    const std::uint32_t to = at_most(end, rows.first + queries);
    if (from >= to) {
      outputs.scores.data = nullptr;
      scores = {};
      return;
    }
    outputs.scores.data = outputs.scores.row(0, 0, from - scores.first_query);
    scores.first_query = from - rows.first;
    scores.query_count = to - from;
  }

  const MultiHeadOptions& options_;
};

/// Positions of `tokens` tokens per batch entry; those of attend() are the last ones of their sequences.
[[nodiscard]] Status check_turns(const MultiHeadPlan& plan, const FloatKvCache& cache, const MultiHeadOptions& options,
                                 std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                 CacheUpdate update) noexcept {
  if (options.rotary == nullptr) return Status::ok;
  const std::uint32_t head_dim = options.rotary->plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (head_dim != plan.config.head_dim) return Status::plan_mismatch;
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
