// SPDX-License-Identifier: MIT
//
// The work of a layer's call after its checks, once for calls with options and without.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "cache/cache_parts.hpp"
#include "cache/channel_scales.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "heed/layer.hpp"
#include "heed/positions.hpp"
#include "layer/sequences.hpp"
#include "product/linear.hpp"

namespace heed::detail {

/// The rotary positions of a layer's call.
struct LayerRotary {
  const Rotary* rotary = nullptr;            ///< null: none
  const std::uint32_t* positions = nullptr;  ///< [batch, tokens]; null: each token's number in its sequence - begin
  std::uint32_t begin = 0;                   ///< the number of the token that the table's first row is for
};

/// What a layer's attention needs besides its inputs and outputs.
struct LayerAttention {
  const AttentionPlan& plan;
  std::byte* scratch;
  std::uint32_t tokens;  ///< of the call: the stride from head to head of the log-sum-exp
  const Executor& executor;
};

/// A layer without options.
struct PlainHooks {
  static std::uint32_t first_scored(std::uint32_t first) noexcept { return first; }
  static void rotate(const LayerRows&, std::uint32_t /*heads*/, float* /*rows*/) noexcept {}

  static void attend(const LayerAttention& call, AttentionInputs& inputs, AttentionOutputs& outputs,
                     const QuerySlice& slice) noexcept {
    if (inputs.causal != Causal::none) slice_causal(slice, slice.all, inputs);
    run_attention(call.plan, call.scratch, inputs, outputs, call.tokens, call.executor);
  }
};

/// The plan and the memories of an initialised layer. Hooks are what options add: rotate(rows, heads, data) of
/// projected queries and keys [rows, heads * head_dim], attend(...) of one slice of the queries, and
/// first_scored(first), the row of the scores that a call for the queries from `first` on begins at.
template <class Hooks>
struct LayerCall {
  const MultiHeadPlan& plan;
  const Sequences& sequences;
  std::byte* scratch;
  Linear linear;  ///< the projections
  const Hooks& hooks;

  LayerCall(const MultiHeadPlan& layer, const Sequences& entries, std::byte* memory, const std::byte* weights,
            const Format* format, const Executor& executor, const Hooks& added) noexcept
      : plan(layer),
        sequences(entries),
        scratch(memory),
        linear{weights, format, format == nullptr ? nullptr : floats(layer.staged_weights), executor,
               layer.config.workers},
        hooks(added) {}

  /// Every batch entry appends its tokens.
  Status append() const noexcept {
    if (!keys_can_be_stored(CacheUpdate::append)) return Status::not_finite;
    const auto append = [this](const LayerRows& rows) noexcept { return append_rows(rows); };
    Status status = Status::ok;
    for (std::uint32_t b = 0; b < sequences.inputs.entries() && status == Status::ok; ++b) {
      status = for_rows(b, sequences.tokens(b), 0, sequences.inputs.tokens, append);
    }
    return status;
  }

  /// Every batch entry appends its tokens, if `update` says so, and attends.
  Status run(const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept {
    if (update != CacheUpdate::nothing && !keys_can_be_stored(update)) return Status::not_finite;
    Status status = Status::ok;
    for (std::uint32_t b = 0; b < sequences.inputs.entries() && status == Status::ok; ++b) {
      status = run_entry(b, outputs, update);
    }
    return status;
  }

 private:
  /// A place in the scratch. Offsets count from the start of an arena, which begins with the state.
  [[nodiscard]] std::byte* place(const Region& region) const noexcept {
    return scratch + (region.offset - plan.state_bytes);
  }
  [[nodiscard]] float* floats(const Region& region) const noexcept { return reinterpret_cast<float*>(place(region)); }

  /// to [rows, outputs of the projection] = input x W^T + b.
  void project_input(const LinearPlan& projection, const LayerRows& rows, float* to) const noexcept {
    linear.multiply(projection, {rows.inputs.input.row(rows.batch, rows.first), rows.inputs.input.row_stride},
                    rows.count, {to, static_cast<std::ptrdiff_t>(projection.outputs)});
  }

  /// Calls step(rows) for the tokens `from` to `to` of a batch entry, in ascending order and while it succeeds.
  template <class Step>
  Status for_rows(std::uint32_t batch, std::uint32_t number, std::uint32_t from, std::uint32_t to,
                  const Step& step) const noexcept {
    Status status = Status::ok;
    for (std::uint32_t first = from; first < to && status == Status::ok; first += plan.token_rows) {
      status = step(LayerRows{sequences.inputs, batch, number, to, first, least(to - first, plan.token_rows)});
    }
    return status;
  }

  [[nodiscard]] std::uint32_t number_before(std::uint32_t batch, CacheUpdate update) const noexcept {
    return update == CacheUpdate::replace ? 0 : sequences.tokens(batch);
  }

  Status run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept;
  [[nodiscard]] bool keys_can_be_stored(CacheUpdate update) const noexcept;
  [[nodiscard]] float* project_keys(const LayerRows& rows) const noexcept;
  Status append_rows(const LayerRows& rows) const noexcept;
  void attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept;
};

template <class Hooks>
Status LayerCall<Hooks>::run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs,
                                   CacheUpdate update) const noexcept {
  const std::uint32_t tokens = sequences.inputs.tokens;
  const auto append = [this](const LayerRows& rows) noexcept { return append_rows(rows); };
  const auto attend = [this, &outputs](const LayerRows& rows) noexcept {
    attend_rows(outputs, rows);
    return Status::ok;
  };
  const bool appends = update != CacheUpdate::nothing;
  const std::uint32_t number = number_before(batch, update) - (appends ? 0 : tokens);
  Status status = update == CacheUpdate::replace ? sequences.clear(batch) : Status::ok;
  for (std::uint32_t first = 0; first < tokens && status == Status::ok;) {
    const std::uint32_t end = appends ? first + sequences.appended_at_once(number + first, tokens - first) : tokens;
    if (appends) status = for_rows(batch, number, first, end, append);
    if (status == Status::ok) status = for_rows(batch, number, first, end, attend);
    first = end;
  }
  return status;
}

/// Keys [count, kv_heads * head_dim] as they are stored.
template <class Hooks>
float* LayerCall<Hooks>::project_keys(const LayerRows& rows) const noexcept {
  float* keys = floats(plan.projected);
  project_input(plan.key, rows, keys);
  hooks.rotate(rows, plan.config.kv_heads, keys);
  return keys;
}

/// Whether a cache that refuses infinite keys will take all of a call's.
template <class Hooks>
bool LayerCall<Hooks>::keys_can_be_stored(CacheUpdate update) const noexcept {
  const ChannelScales* const scales = channel_scales_of(sequences.cache);
  if (scales == nullptr) return true;
  return scales->takes_keys(plan, sequences, update, this, [](const void* call, const LayerRows& rows) noexcept {
    return static_cast<const float*>(static_cast<const LayerCall*>(call)->project_keys(rows));
  });
}

template <class Hooks>
Status LayerCall<Hooks>::append_rows(const LayerRows& rows) const noexcept {
  const MultiHeadConfig& config = plan.config;
  const float* keys = project_keys(rows);
  float* values = floats(plan.projected) + plan.token_rows * std::size_t{plan.key.outputs};
  project_input(plan.value, rows, values);
  return sequences.append(rows.batch, rows.number + rows.first, rows.count,
                          bshd(keys, config.kv_heads, rows.count, config.head_dim),
                          bshd<const float>(values, config.kv_heads, rows.count, config.value_dim));
}

template <class Hooks>
void LayerCall<Hooks>::attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept {
  const MultiHeadConfig& config = plan.config;
  const MultiHeadInputs& inputs = rows.inputs;
  const std::uint32_t batch = rows.batch;
  const std::uint32_t length =
      inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : sequences.keys(rows.number + rows.end);
  float* queries = floats(plan.projected);
  float* contexts = floats(plan.attention_output);
  project_input(plan.query, rows, queries);
  hooks.rotate(rows, config.heads, queries);

  AttentionInputs attention;
  attention.query_count = rows.count;
  attention.query = bshd<const float>(queries, config.heads, rows.count, config.head_dim);
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
  attention.cache = &sequences.cache;
  attention.sequence_ids = &sequence;
  attention.page_table = inputs.page_table + std::size_t{batch} * sequences.max_pages;
  attention.max_pages = sequences.max_pages;
  attention.key_lengths = &length;
  attention.causal = inputs.causal;
  attention.causal_offset = inputs.causal_offset;
  attention.scale = inputs.scale;
  AttentionOutputs written;
  written.output = bshd(contexts, config.heads, rows.count, config.value_dim);
  written.score_stage = outputs.score_stage;
  if (outputs.scores.data != nullptr) {
    written.scores = outputs.scores;
    written.scores.data = outputs.scores.row(batch, 0, Hooks::first_scored(rows.first));
  }
  if (outputs.log_sum_exp != nullptr) {
    written.log_sum_exp = outputs.log_sum_exp + std::size_t{batch} * config.heads * inputs.tokens + rows.first;
  }
  const QuerySlice slice{batch, rows.first, rows.count, rows.end,
                         sequences.position_count(length, rows.number + rows.end)};
  // The attention's scratch comes first.
  hooks.attend({plan.attention, scratch, inputs.tokens, linear.executor}, attention, written, slice);

  if (outputs.head_outputs.data != nullptr) {
    const float* from = contexts;
    for (std::uint32_t row = 0; row < rows.count; ++row) {
      for (std::uint32_t head = 0; head < config.heads; ++head) {
        float* to = outputs.head_outputs.row(batch, head, rows.first + row);
        for (std::uint32_t d = 0; d < config.value_dim; ++d) to[d] = *from++;
      }
    }
  }
  linear.multiply(plan.output, {contexts, static_cast<std::ptrdiff_t>(plan.output.inputs)}, rows.count,
                  {outputs.output.row(batch, rows.first), outputs.output.row_stride});
}

}  // namespace heed::detail
