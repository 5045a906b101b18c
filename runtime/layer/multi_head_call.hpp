// SPDX-License-Identifier: MIT
//
// The work of a layer's call after its checks, once for calls with options and without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/rows_of_products.hpp>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "cache/cache_parts.hpp"
#include "cache/channel_scales.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "heed/layer.hpp"
#include "heed/positions.hpp"
#include "layer/multi_head_check.hpp"
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
  static void finish_queries(const LayerRows&, std::uint32_t /*heads*/, float* /*rows*/) noexcept {}
  static void finish_keys(const LayerRows&, std::uint32_t /*heads*/, float* /*rows*/) noexcept {}

  static void attend(const LayerAttention& call, AttentionInputs& inputs, AttentionOutputs& outputs,
                     const QuerySlice& slice) noexcept {
    if (inputs.causal != Causal::none) slice_causal(slice, slice.all, inputs);
    run_attention(call.plan, call.scratch, CacheAccess::reader(*inputs.cache), inputs, outputs, call.tokens,
                  call.executor);
  }
};

/// The plan and the memories of an initialised layer. Hooks are what options add: finish_queries(rows, heads, data)
/// and finish_keys(...) of projected ones [rows, heads * head_dim], attend(...) of one slice of the queries, and
/// first_scored(first), the row of the scores that a call for the queries from `first` on begins at.
template <class Hooks>
struct LayerCall {
  Sequences sequences;
  std::byte* scratch;
  Linear linear;  ///< the projections
  [[no_unique_address]] Hooks hooks;

  LayerCall(const MultiHeadPlan& plan, KvCache& cache, const MultiHeadInputs& inputs, std::byte* memory,
            const std::byte* weights, const Format* format, const Executor& executor, const Hooks& added) noexcept
      : sequences(plan, cache, inputs),
        scratch(memory),
        linear{weights, format, format == nullptr ? nullptr : floats(plan.staging), executor, plan.config.workers},
        hooks(added) {}

  /// Every batch entry appends its tokens.
  Status append() const noexcept {
    Status status = check_keys(CacheUpdate::append);
    for (std::uint32_t b = 0; b < sequences.entries && status == Status::ok; ++b) {
      LayerRows rows{sequences.inputs, b, sequences.tokens(b), sequences.inputs.tokens, 0, 0, false};
      status = run_rows(rows, nullptr);
    }
    return status;
  }

  /// Every batch entry appends its tokens, if `update` says so, and attends.
  Status run(const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept {
    Status status = update != CacheUpdate::nothing ? check_keys(update) : Status::ok;
    for (std::uint32_t b = 0; b < sequences.entries && status == Status::ok; ++b) {
      status = run_entry(b, outputs, update);
    }
    return status;
  }

 private:
  /// A place in the scratch. Offsets count from the start of an arena, which begins with the state.
  [[nodiscard]] std::byte* place(const Region& region) const noexcept {
    return scratch + (region.offset - sequences.plan.state_bytes);
  }
  [[nodiscard]] float* floats(const Region& region) const noexcept { return reinterpret_cast<float*>(place(region)); }

  /// to [rows, outputs of the projection] = input x W^T + b.
  void project_input(const LinearPlan& projection, const LayerRows& rows, float* to, bool same_rows) const noexcept {
    linear.multiply(projection, {rows.inputs.input.row(rows.batch, rows.first), rows.inputs.input.row_stride},
                    rows.count, {to, static_cast<std::ptrdiff_t>(projection.outputs)}, same_rows);
  }

  Status run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept;
  Status run_rows(LayerRows& rows, const MultiHeadOutputs* outputs) const noexcept;
  [[nodiscard]] Status check_keys(CacheUpdate update) const noexcept;
  [[nodiscard]] float* project_keys(const LayerRows& rows) const noexcept;
  Status append_rows(const LayerRows& rows) const noexcept;
  void attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept;
};

template <class Hooks>
Status LayerCall<Hooks>::run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs,
                                   CacheUpdate update) const noexcept {
  const std::uint32_t tokens = sequences.inputs.tokens;
  const bool appends = update != CacheUpdate::nothing;
  Status status = update == CacheUpdate::replace ? sequences.clear(batch) : Status::ok;
  LayerRows rows{sequences.inputs, batch, tokens_after(sequences, batch, update) - tokens, 0, 0, 0, false};
  while (rows.end < tokens && status == Status::ok) {
    const std::uint32_t first = rows.end;
    rows.end = appends ? first + sequences.appended_at_once(rows.number + first, tokens - first) : tokens;
    if (appends) {
      rows.first = first;
      status = run_rows(rows, nullptr);
      // Queries are projected from the very rows that values were projected from last.
      rows.same = rows.end - first <= rows_of_products(sequences.plan.token_rows);
    }
    rows.first = first;
    if (status == Status::ok) status = run_rows(rows, &outputs);
  }
  return status;
}

/// Attends with the tokens from rows.first to rows.end, or appends them where the outputs are null, in ascending order.
template <class Hooks>
Status LayerCall<Hooks>::run_rows(LayerRows& rows, const MultiHeadOutputs* outputs) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  Status status = Status::ok;
  // A cache may refuse all tokens for which there is room, or none: those are appended at once.
  for (; rows.first < rows.end && status == Status::ok;
       rows.first += rows_of_products(plan.token_rows, outputs == nullptr)) {
    rows.count = least(rows.end - rows.first, rows_of_products(plan.token_rows, outputs == nullptr));
    if (outputs == nullptr) {
      status = append_rows(rows);
    } else {
      attend_rows(*outputs, rows);
    }
  }
  return status;
}

/// Keys [count, kv_heads * head_dim] as they are stored.
template <class Hooks>
float* LayerCall<Hooks>::project_keys(const LayerRows& rows) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  float* keys = floats(plan.projected);
  project_input(plan.key, rows, keys, false);
  hooks.finish_keys(rows, plan.config.kv_heads, keys);
  return keys;
}

/// What a cache refuses about the keys of a call.
template <class Hooks>
Status LayerCall<Hooks>::check_keys(CacheUpdate update) const noexcept {
  const ChannelScales* const scales = channel_scales_of(sequences.cache);
  if (scales == nullptr) return Status::ok;
  return scales->takes_keys(sequences, update, this, [](const void* call, const LayerRows& rows) noexcept {
    return static_cast<const float*>(static_cast<const LayerCall*>(call)->project_keys(rows));
  });
}

template <class Hooks>
Status LayerCall<Hooks>::append_rows(const LayerRows& rows) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadConfig& config = plan.config;
  const float* keys = project_keys(rows);
  float* values = floats(plan.projected) + plan.token_rows * std::size_t{plan.key.outputs};
  project_input(plan.value, rows, values, true);
  return sequences.append(rows, bshd(keys, config.kv_heads, rows.count, config.head_dim),
                          bshd<const float>(values, config.kv_heads, rows.count, config.value_dim));
}

template <class Hooks>
void LayerCall<Hooks>::attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadConfig& config = plan.config;
  const MultiHeadInputs& inputs = rows.inputs;
  const std::uint32_t batch = rows.batch;
  const std::uint32_t tokens = rows.number + rows.end;
  const std::uint32_t keys = sequences.keys(tokens);
  const std::uint32_t length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : keys;
  float* queries = floats(plan.projected);
  float* contexts = floats(plan.attention_output);
  project_input(plan.query, rows, queries, rows.same);
  hooks.finish_queries(rows, config.heads, queries);

  AttentionInputs attention;
  attention.query_count = rows.count;
  attention.query = bshd<const float>(queries, config.heads, rows.count, config.head_dim);
  const std::uint32_t sequence = sequence_of(inputs.sequence_ids, batch);
  attention.cache = &sequences.cache;
  attention.sequence_ids = &sequence;
  if (inputs.page_table != nullptr) {
    attention.max_pages = plan.config.max_pages;
    attention.page_table = inputs.page_table + std::size_t{batch} * attention.max_pages;
  }
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
  const QuerySlice slice{batch, rows.first, rows.count, rows.end, keys < tokens ? tokens : length};
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
