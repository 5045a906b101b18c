// SPDX-License-Identifier: MIT
//
// The work of a layer's call after its checks, once for calls with options and without: which rows it takes when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/rows_of_products.hpp>

#include "cache/channel_scales.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "heed/layer.hpp"
#include "layer/layer_pass.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/sequences.hpp"

namespace heed::detail {

/// A call of an initialised layer.
template <class Hooks>
struct LayerCall : LayerPass<Hooks> {
  using LayerPass<Hooks>::LayerPass;
  using LayerPass<Hooks>::hooks;
  using LayerPass<Hooks>::linear;
  using LayerPass<Hooks>::sequences;

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
  using LayerPass<Hooks>::append_rows;
  using LayerPass<Hooks>::floats;
  using LayerPass<Hooks>::project_input;
  using LayerPass<Hooks>::project_keys;
  using LayerPass<Hooks>::room;

  /// Tokens that are projected at a time. A cache may refuse all those for which there is room, or none: they are
  /// appended at once.
  [[nodiscard]] std::uint32_t at_once(bool attends) const noexcept {
    const std::uint32_t most = wanted_rows != 0 ? room().rows() : sequences.plan.token_rows;
    const bool rounds = sequences.plan.query.row_bytes != 0;
    return shared_at_once(linear.workers, rows_of_products(most, !attends || !rounds));
  }
  Status run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept;
  Status run_rows(LayerRows& rows, const MultiHeadOutputs* outputs) const noexcept;
  [[nodiscard]] Status check_keys(CacheUpdate update) const noexcept;
  /// Whether the outputs of all tokens, which are appended at once, have room for their queries until they attend.
  [[nodiscard]] bool outputs_take_queries(const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept;
  Status run_with_queries(LayerRows& rows, const MultiHeadOutputs& outputs) const noexcept;
};

template <class Hooks>
LayerCall(const MultiHeadPlan&, KvCache&, const MultiHeadInputs&, std::byte*, const std::byte*, const Format*,
          const Executor&, const Hooks&) -> LayerCall<Hooks>;

template <class Hooks>
Status LayerCall<Hooks>::run_entry(std::uint32_t batch, const MultiHeadOutputs& outputs,
                                   CacheUpdate update) const noexcept {
  const std::uint32_t tokens = sequences.inputs.tokens;
  const bool appends = update != CacheUpdate::nothing;
  Status status = update == CacheUpdate::replace ? sequences.clear(batch) : Status::ok;
  LayerRows rows{sequences.inputs, batch, tokens_after(sequences, batch, update) - tokens, 0, 0, 0, false};
  if constexpr (wanted_rows != 0) {
    if (status == Status::ok && outputs_take_queries(outputs, update)) return run_with_queries(rows, outputs);
  }
  while (rows.end < tokens && status == Status::ok) {
    const std::uint32_t first = rows.end;
    rows.end = appends ? first + sequences.appended_at_once(rows.number + first, tokens - first) : tokens;
    if (appends) {
      rows.first = first;
      status = run_rows(rows, nullptr);
      // Queries are projected from the very rows that values were projected from last.
      rows.same = rows.end - first <= at_once(true);
    }
    rows.first = first;
    if (status == Status::ok) status = run_rows(rows, &outputs);
  }
  return status;
}

template <class Hooks>
bool LayerCall<Hooks>::outputs_take_queries(const MultiHeadOutputs& outputs, CacheUpdate update) const noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const std::uint32_t tokens = sequences.inputs.tokens;
  return update == CacheUpdate::replace && plan.query.row_bytes != 0 && linear.workers == 1 &&
         plan.config.key_type == DataType::int8_integer && tokens > at_once(true) &&
         tokens <= plan.attention.config.max_keys && plan.output.outputs == plan.query.outputs &&
         outputs.output.row_stride == static_cast<std::ptrdiff_t>(plan.query.outputs);
}

/// Rows are rounded once: their queries are projected with their keys and values, to where their outputs will be.
template <class Hooks>
Status LayerCall<Hooks>::run_with_queries(LayerRows& rows, const MultiHeadOutputs& outputs) const noexcept {
  rows.end = sequences.inputs.tokens;
  const std::uint32_t most = at_once(true);
  Status status = Status::ok;
  for (rows.first = 0; rows.first < rows.end && status == Status::ok; rows.first += most) {
    rows.count = least(rows.end - rows.first, most);
    status = append_rows(rows);
    float* const queries = outputs.output.row(rows.batch, rows.first);
    project_input(linear, sequences.plan.query, rows, queries, true);
    hooks.finish_queries(rows, sequences.plan.config.heads, queries);
  }
  for (rows.first = 0; rows.first < rows.end && status == Status::ok; rows.first += most) {
    rows.count = least(rows.end - rows.first, most);
    this->template attend_rows<true>(outputs, rows);
  }
  return status;
}

/// Attends with the tokens from rows.first to rows.end, or appends them where the outputs are null, in ascending order.
template <class Hooks>
Status LayerCall<Hooks>::run_rows(LayerRows& rows, const MultiHeadOutputs* outputs) const noexcept {
  Status status = Status::ok;
  for (; rows.first < rows.end && status == Status::ok; rows.first += at_once(outputs != nullptr)) {
    rows.count = least(rows.end - rows.first, at_once(outputs != nullptr));
    if (outputs == nullptr) {
      status = append_rows(rows);
    } else {
      this->template attend_rows<false>(*outputs, rows);
    }
  }
  return status;
}

/// What a cache refuses about the keys of a call.
template <class Hooks>
Status LayerCall<Hooks>::check_keys(CacheUpdate update) const noexcept {
  const ChannelScales* const scales = channel_scales_of(sequences.cache);
  if (scales == nullptr) return Status::ok;
  return scales->takes_keys(sequences, update, this, [](const void* call, const LayerRows& rows) noexcept {
    const LayerCall& layer = *static_cast<const LayerCall*>(call);
    float* const keys = layer.floats(layer.sequences.plan.projected);
    layer.project_keys(layer.linear, rows, keys);
    return static_cast<const float*>(keys);
  });
}

}  // namespace heed::detail
