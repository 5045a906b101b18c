// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "common/validation.hpp"
#include "heed/multi_head.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/projection.hpp"

namespace heed::detail {

[[nodiscard]] inline std::uint32_t at_most(std::uint32_t value, std::uint32_t limit) noexcept {
  return value < limit ? value : limit;
}

/// The rows that one call of the attention computes: tokens from `first` on of a batch entry.
struct LayerRows {
  const MultiHeadInputs& inputs;
  std::uint32_t batch;
  std::uint32_t first;
};

/// Rows just projected: tokens from `first` on of a batch entry, which gives `tokens` in all.
struct ProjectedRows {
  float* data;  ///< [rows, heads * head_dim]
  std::uint32_t heads, rows;
  std::uint32_t batch, tokens, first;
  std::uint32_t number;  ///< of the first row's token in its sequence
};

/// A layer without options.
struct PlainHooks {
  static std::uint32_t first_scored(std::uint32_t first) noexcept { return first; }
  static void turn(const ProjectedRows&) noexcept {}
  static void run(const AttentionPlan& plan, std::byte* scratch, const AttentionInputs& inputs,
                  const AttentionOutputs& outputs, const LayerRows& rows, const Executor& executor) noexcept {
    run_attention(plan, scratch, inputs, outputs, rows.inputs.tokens, executor);
  }
};

/// The plan and the memories of an initialised layer, for the work after the checks. Hooks are what options add:
/// turn(rows) of projected queries and keys, run(...) in place of run_attention(), and first_scored(first), the row of
/// the scores that a call for the queries from `first` on begins at.
template <class Hooks>
struct LayerCall {
  const MultiHeadPlan& plan;
  FloatKvCache& cache;
  std::byte* arena;
  const std::byte* weights;
  const Executor& executor;
  const Hooks& hooks;

  [[nodiscard]] float* floats(const Region& region) const noexcept {
    return reinterpret_cast<float*>(arena + region.offset);
  }

  void project(const ProjectionPlan& projection, Rows<const float> x, std::uint32_t rows,
               Rows<float> y) const noexcept {
    detail::project(projection, weights, x, rows, y, executor, plan.config.workers);
  }

  /// Keys and values of the next tokens of a batch entry's sequence.
  Status append(std::uint32_t batch, std::uint32_t sequence, std::uint32_t tokens,
                Rows<const float> memory) const noexcept;

  /// One batch entry's outputs over what its sequence holds.
  void attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, std::uint32_t batch) const noexcept {
    for (std::uint32_t first = 0; first < inputs.tokens; first += plan.token_rows) {
      attend_rows(inputs, outputs, batch, first, at_most(inputs.tokens - first, plan.token_rows));
    }
  }

  /// Every batch entry: appends its x, if `before` says so, and attends.
  Status run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept;

 private:
  void attend_rows(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, std::uint32_t batch,
                   std::uint32_t first, std::uint32_t rows) const noexcept;
};

template <class Hooks>
Status LayerCall<Hooks>::append(std::uint32_t batch, std::uint32_t sequence, std::uint32_t tokens,
                                Rows<const float> memory) const noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::size_t key_width = plan.key.outputs;
  const std::size_t value_width = plan.value.outputs;
  float* keys = floats(plan.projected);
  float* values = keys + plan.token_rows * key_width;
  for (std::uint32_t first = 0; first < tokens; first += plan.token_rows) {
    const std::uint32_t rows = at_most(tokens - first, plan.token_rows);
    const Rows<const float> from{memory.data + static_cast<std::ptrdiff_t>(first) * memory.stride, memory.stride};
    project(plan.key, from, rows, {keys, static_cast<std::ptrdiff_t>(key_width)});
    project(plan.value, from, rows, {values, static_cast<std::ptrdiff_t>(value_width)});
    hooks.turn({keys, config.kv_heads, rows, batch, tokens, first, cache.length(sequence)});
    const Status status = cache.append(sequence, rows, bshd<const float>(keys, config.kv_heads, rows, config.head_dim),
                                       bshd<const float>(values, config.kv_heads, rows, config.value_dim));
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

template <class Hooks>
void LayerCall<Hooks>::attend_rows(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, std::uint32_t batch,
                                   std::uint32_t first, std::uint32_t rows) const noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
  const std::uint32_t held = cache.length(sequence);
  const std::uint32_t length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : held;
  float* queries = floats(plan.projected);
  float* contexts = floats(plan.attention_output);
  const auto context_width = static_cast<std::ptrdiff_t>(plan.output.inputs);
  project(plan.query, {inputs.input.row(batch, first), inputs.input.row_stride}, rows,
          {queries, static_cast<std::ptrdiff_t>(plan.query.outputs)});
  hooks.turn({queries, config.heads, rows, batch, inputs.tokens, first, held - inputs.tokens + first});

  AttentionInputs attention;
  attention.query_count = rows;
  attention.query = bshd<const float>(queries, config.heads, rows, config.head_dim);
  attention.cache = &cache;
  attention.sequence_ids = &sequence;
  attention.key_lengths = &length;
  attention.causal = inputs.causal == Causal::none ? Causal::none : Causal::offset;
  attention.causal_offset = query_position(inputs.causal, inputs.causal_offset, length, inputs.tokens, first);
  attention.scale = inputs.scale;
  AttentionOutputs written;
  written.output = bshd(contexts, config.heads, rows, config.value_dim);
  written.score_stage = outputs.score_stage;
  if (outputs.scores.data != nullptr) {
    written.scores = outputs.scores;
    written.scores.data = outputs.scores.row(batch, 0, Hooks::first_scored(first));
  }
  if (outputs.log_sum_exp != nullptr) {
    written.log_sum_exp = outputs.log_sum_exp + std::size_t{batch} * config.heads * inputs.tokens + first;
  }
  hooks.run(plan.attention, arena + plan.attention_scratch.offset, attention, written, LayerRows{inputs, batch, first},
            executor);

  if (outputs.head_outputs.data != nullptr) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t head = 0; head < config.heads; ++head) {
        const float* from = written.output.row(0, head, row);
        float* to = outputs.head_outputs.row(batch, head, first + row);
        for (std::uint32_t d = 0; d < config.value_dim; ++d) to[d] = from[d];
      }
    }
  }
  project(plan.output, {contexts, context_width}, rows, {outputs.output.row(batch, first), outputs.output.row_stride});
}

template <class Hooks>
Status LayerCall<Hooks>::run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                             CacheUpdate update) const noexcept {
  Status status = Status::ok;
  for (std::uint32_t b = 0; b < inputs.batch && status == Status::ok; ++b) {
    const std::uint32_t sequence = sequence_of(inputs.sequence_ids, b);
    if (update == CacheUpdate::replace) status = cache.reset(sequence);
    if (update != CacheUpdate::nothing && status == Status::ok) {
      status = append(b, sequence, inputs.tokens, {inputs.input.row(b, 0), inputs.input.row_stride});
    }
    if (status == Status::ok) attend(inputs, outputs, b);
  }
  return status;
}

}  // namespace heed::detail
