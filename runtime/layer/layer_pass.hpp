// SPDX-License-Identifier: MIT
//
// What a layer's call does with some rows of a batch entry: it projects them, appends them, attends with them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/causal_masking.hpp"
#include "cache/cache_parts.hpp"
#include "cache/store_token.hpp"
#include "common/key_range.hpp"
#include "heed/layer.hpp"
#include "heed/positions.hpp"
#include "layer/layer_room.hpp"
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

/// Hooks are what options add: finish_queries(rows, heads, data) and finish_keys(...), which change projected queries
/// and keys [rows, heads * head_dim] in place; attend(...) for one slice of the queries; and first_scored(first), the
/// row of the scores where the slice that begins with query `first` begins.
template <class Hooks>
struct LayerPass {
  Sequences sequences;
  std::byte* scratch;
  Linear linear;  ///< the projections
  [[no_unique_address]] Hooks hooks;

  LayerPass(const MultiHeadPlan& plan, KvCache& cache, const MultiHeadInputs& inputs, std::byte* memory,
            const std::byte* weights, const Format* format, const Executor& executor, const Hooks& added) noexcept
      : sequences(plan, cache, inputs),
        scratch(memory),
        linear{weights, format,
               format == nullptr  ? nullptr
               : wanted_rows != 0 ? room().staging()
                                  : floats(plan.staging),
               executor, plan.config.workers},
        hooks(added) {}

 protected:
  /// A place in the scratch. Offsets count from the start of an arena, which begins with the state.
  [[nodiscard]] std::byte* place(const Region& region) const noexcept {
    return scratch + (region.offset - sequences.plan.state_bytes);
  }
  [[nodiscard]] float* floats(const Region& region) const noexcept { return reinterpret_cast<float*>(place(region)); }

  [[nodiscard]] LayerRoom room() const noexcept { return {sequences.plan, scratch}; }

  /// to [rows, outputs of the projection] = input x W^T + b.
  static void project_input(const Linear& products, const LinearPlan& projection, const LayerRows& rows, float* to,
                            bool same_rows) noexcept {
    products.multiply(projection, {rows.inputs.input.row(rows.batch, rows.first), rows.inputs.input.row_stride},
                      rows.count, {to, static_cast<std::ptrdiff_t>(projection.outputs)}, same_rows);
  }

  /// Calls work(products, rows, before) for the rows, or for each worker's share of them, which has `before` of the
  /// rows before it.
  template <class Work>
  void share(const LayerRows& rows, const Work& work) const noexcept;
  void project_keys(const Linear& products, const LayerRows& rows, float* to) const noexcept;
  void project_pair(const Linear& products, const LayerRows& rows, float* keys, float* values) const noexcept;
  Status append_rows(const LayerRows& rows) const noexcept;
  /// With queries that are projected already, where the outputs will be, or not yet.
  template <bool projected>
  void attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept;
};

template <class Hooks>
template <class Work>
[[gnu::always_inline]] inline void LayerPass<Hooks>::share(const LayerRows& rows, const Work& work) const noexcept {
  if constexpr (least_row_share != 0) {
    if (shares_rows(linear.executor, linear.workers, rows.count)) {
      for_row_shares(linear.executor, linear.workers, rows.count, true,
                     [&](std::uint32_t worker, std::uint32_t first, std::uint32_t count) noexcept {
                       LayerRows own = rows;
                       own.first += first;
                       own.count = count;
                       work(linear.of_worker(worker, sequences.plan.staging), own, std::size_t{first});
                     });
      return;
    }
  }
  work(linear, rows, std::size_t{0});
}

/// Keys [count, kv_heads * head_dim] as they are stored. Out of line, because a cache's check calls it, too.
template <class Hooks>
[[gnu::noinline]] void LayerPass<Hooks>::project_keys(const Linear& products, const LayerRows& rows,
                                                      float* to) const noexcept {
  project_input(products, sequences.plan.key, rows, to, false);
  hooks.finish_keys(rows, sequences.plan.config.kv_heads, to);
}

/// Keys as above, and values. Where rows are few, several workers share the outputs of both products in one region.
template <class Hooks>
[[gnu::always_inline]] inline void LayerPass<Hooks>::project_pair(const Linear& products, const LayerRows& rows,
                                                                  float* keys, float* values) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  if constexpr (least_row_share != 0) {
    if (products.has_workers()) {
      const Rows<const float> x{rows.inputs.input.row(rows.batch, rows.first), rows.inputs.input.row_stride};
      products.multiply_pair(plan.key, {keys, static_cast<std::ptrdiff_t>(plan.key.outputs)}, plan.value,
                             {values, static_cast<std::ptrdiff_t>(plan.value.outputs)}, x, rows.count,
                             [](std::uint32_t, std::uint32_t) noexcept {});
      hooks.finish_keys(rows, plan.config.kv_heads, keys);
      return;
    }
  }
  project_keys(products, rows, keys);
  project_input(products, plan.value, rows, values, true);
}

template <class Hooks>
Status LayerPass<Hooks>::append_rows(const LayerRows& rows) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadConfig& config = plan.config;
  float* const keys = floats(plan.projected);
  float* const values = keys + (wanted_rows != 0 ? room().rows() : plan.token_rows) * std::size_t{plan.key.outputs};
  share(rows, [&](const Linear& products, const LayerRows& own, std::size_t before) noexcept {
    project_pair(products, own, keys + before * plan.key.outputs, values + before * plan.value.outputs);
  });
  const auto key = bshd<const float>(keys, config.kv_heads, rows.count, config.head_dim);
  const auto value = bshd<const float>(values, config.kv_heads, rows.count, config.value_dim);
  if constexpr (least_row_share != 0) {
    if (sequences.inputs.page_table == nullptr && shares_rows(linear.executor, linear.workers, rows.count)) {
      const std::uint32_t sequence = sequence_of(sequences.inputs.sequence_ids, rows.batch);
      return append_shared(sequences.cache, sequence, rows.count, key, value, linear.executor, linear.workers);
    }
  }
  return sequences.append(rows, key, value);
}

template <class Hooks>
template <bool projected>
void LayerPass<Hooks>::attend_rows(const MultiHeadOutputs& outputs, const LayerRows& rows) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadConfig& config = plan.config;
  const MultiHeadInputs& inputs = rows.inputs;
  const std::uint32_t batch = rows.batch;
  const std::uint32_t tokens = rows.number + rows.end;
  const std::uint32_t keys = sequences.keys(tokens);
  const std::uint32_t length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : keys;
  float* queries = projected ? outputs.output.row(batch, rows.first) : floats(plan.projected);
  float* contexts = wanted_rows != 0 ? room().attention_output() : floats(plan.attention_output);
  if constexpr (!projected) {
    share(rows, [&](const Linear& products, const LayerRows& own, std::size_t before) noexcept {
      float* const to = queries + before * plan.query.outputs;
      project_input(products, plan.query, own, to, rows.same);
      hooks.finish_queries(own, config.heads, to);
    });
  }

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
  share(rows, [&](const Linear& products, const LayerRows& own, std::size_t before) noexcept {
    products.multiply(plan.output,
                      {contexts + before * plan.output.inputs, static_cast<std::ptrdiff_t>(plan.output.inputs)},
                      own.count, {outputs.output.row(batch, own.first), outputs.output.row_stride});
  });
}

}  // namespace heed::detail
