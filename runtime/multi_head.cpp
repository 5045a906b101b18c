// SPDX-License-Identifier: MIT
#include "heed/multi_head.hpp"

#include "attention_run.hpp"
#include "check.hpp"
#include "multi_head_check.hpp"
#include "projection.hpp"
#include "weights.hpp"

namespace heed {
namespace {

using detail::Before;
using detail::Rows;
using detail::sequence_of;

[[nodiscard]] std::uint32_t at_most(std::uint32_t value, std::uint32_t limit) noexcept {
  return value < limit ? value : limit;
}

/// The causal offset of the queries from `first` on, in a call whose queries attend over `length` keys. Offsets of 2^30
/// and more mean the same in either direction, because there are never more rows.
[[nodiscard]] std::int32_t offset_of(const MultiHeadInputs& inputs, std::uint32_t length,
                                     std::uint32_t first) noexcept {
  constexpr auto limit = static_cast<std::int32_t>(max_rows);
  const auto row = static_cast<std::int32_t>(first);
  if (inputs.causal == Causal::top_left) return row;
  if (inputs.causal == Causal::bottom_right) {
    return static_cast<std::int32_t>(length) - static_cast<std::int32_t>(inputs.tokens) + row;
  }
  const std::int32_t offset = inputs.causal_offset;
  return (offset > limit ? limit : offset < -limit ? -limit : offset) + row;
}

}  // namespace

/// The plan and the memories of an initialised layer, for the work after the checks.
struct MultiHeadAttention::Layer {
  const MultiHeadPlan& plan;
  KeyValueCache& cache;
  std::byte* arena;
  const std::byte* weights;
  const Executor& executor;

  [[nodiscard]] float* floats(const Region& region) const noexcept {
    return reinterpret_cast<float*>(arena + region.offset);
  }

  void project(const ProjectionPlan& projection, Rows<const float> x, std::uint32_t rows,
               Rows<float> y) const noexcept {
    detail::project(projection, weights, x, rows, y, executor, plan.config.workers);
  }

  /// Keys and values of one sequence's next tokens.
  Status append(std::uint32_t sequence, std::uint32_t tokens, Rows<const float> memory) const noexcept;

  /// One batch entry's outputs over what its sequence holds.
  void attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, std::uint32_t batch) const noexcept;
  void attend_rows(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs, std::uint32_t batch,
                   std::uint32_t first, std::uint32_t rows) const noexcept;
};

Status MultiHeadAttention::Layer::append(std::uint32_t sequence, std::uint32_t tokens,
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
    const Status status =
        cache.append(sequence, rows, rows_first<const float>(keys, config.kv_heads, rows, config.head_dim),
                     rows_first<const float>(values, config.kv_heads, rows, config.value_dim));
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

void MultiHeadAttention::Layer::attend_rows(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                            std::uint32_t batch, std::uint32_t first,
                                            std::uint32_t rows) const noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint32_t sequence = sequence_of(inputs.sequences, batch);
  const std::uint32_t length = inputs.key_lengths != nullptr ? inputs.key_lengths[batch] : cache.length(sequence);
  float* queries = floats(plan.projected);
  float* contexts = floats(plan.contexts);
  const auto context_width = static_cast<std::ptrdiff_t>(plan.output.inputs);
  project(plan.query, {inputs.x.row(batch, first), inputs.x.row_stride}, rows,
          {queries, static_cast<std::ptrdiff_t>(plan.query.outputs)});

  AttentionInputs attention;
  attention.queries = rows;
  attention.query = rows_first<const float>(queries, config.heads, rows, config.head_dim);
  attention.cache = &cache;
  attention.sequences = &sequence;
  attention.key_lengths = &length;
  attention.causal = inputs.causal == Causal::none ? Causal::none : Causal::offset;
  attention.causal_offset = offset_of(inputs, length, first);
  attention.scale = inputs.scale;
  AttentionOutputs written;
  written.output = rows_first(contexts, config.heads, rows, config.value_dim);
  written.score_stage = outputs.score_stage;
  if (outputs.scores.data != nullptr) {
    written.scores = outputs.scores;
    written.scores.data = outputs.scores.row(batch, 0, first);
  }
  if (outputs.log_sum_exp != nullptr) {
    written.log_sum_exp = outputs.log_sum_exp + std::size_t{batch} * config.heads * inputs.tokens + first;
  }
  detail::run_attention(plan.attention, arena + plan.attention_scratch.offset, attention, written, inputs.tokens,
                        executor);

  if (outputs.heads.data != nullptr) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t head = 0; head < config.heads; ++head) {
        const float* from = written.output.row(0, head, row);
        float* to = outputs.heads.row(batch, head, first + row);
        for (std::uint32_t d = 0; d < config.value_dim; ++d) to[d] = from[d];
      }
    }
  }
  project(plan.output, {contexts, context_width}, rows, {outputs.y.row(batch, first), outputs.y.row_stride});
}

void MultiHeadAttention::Layer::attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                       std::uint32_t batch) const noexcept {
  for (std::uint32_t first = 0; first < inputs.tokens; first += plan.token_rows) {
    attend_rows(inputs, outputs, batch, first, at_most(inputs.tokens - first, plan.token_rows));
  }
}

Status MultiHeadAttention::bind(const MultiHeadPlan& plan, std::span<std::byte> arena,
                                std::span<const std::byte> packed_weights) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  Status status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  status = detail::check_memory(packed_weights, plan.weights_bytes);
  if (status != Status::ok) return status;
  if (!detail::weights_match(plan, packed_weights.data())) return Status::wrong_weights;
  status = cache_.bind(plan.cache, arena.subspan(plan.state.offset, plan.state.bytes));
  if (status != Status::ok) return status;
  plan_ = plan;
  arena_ = arena.data();
  weights_ = packed_weights.data();
  return Status::ok;
}

Status MultiHeadAttention::init(const MultiHeadPlan& plan, std::span<std::byte> arena,
                                std::span<const std::byte> packed_weights) noexcept {
  const Status status = bind(plan, arena, packed_weights);
  if (status != Status::ok) return status;
  return cache_.init(plan_.cache, arena.subspan(plan_.state.offset, plan_.state.bytes));
}

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                  ConstMatrix memory, const Executor& executor) noexcept {
  if (arena_ == nullptr) return Status::not_initialised;
  Status status = detail::check_counts(batch, tokens);
  if (status != Status::ok) return status;
  status = detail::check_sequences(cache_, batch, sequences, tokens, Before::append);
  if (status != Status::ok) return status;
  status = detail::check_input(memory, batch, tokens, plan_.config.memory_dim);
  if (status != Status::ok) return status;
  const Layer layer{plan_, cache_, arena_, weights_, executor};
  for (std::uint32_t b = 0; b < batch && status == Status::ok; ++b) {
    status = layer.append(sequence_of(sequences, b), tokens, {memory.row(b, 0), memory.row_stride});
  }
  return status;
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  const Status status = detail::check_call(plan_, cache_, inputs, outputs, Before::nothing);
  if (status != Status::ok) return status;
  const Layer layer{plan_, cache_, arena_, weights_, executor};
  for (std::uint32_t b = 0; b < inputs.batch; ++b) layer.attend(inputs, outputs, b);
  return Status::ok;
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                   const Executor& executor) noexcept {
  MultiHeadInputs causal = inputs;
  causal.causal = Causal::bottom_right;
  Status status = detail::check_call(plan_, cache_, causal, outputs, Before::append);
  const Layer layer{plan_, cache_, arena_, weights_, executor};
  for (std::uint32_t b = 0; status == Status::ok && b < inputs.batch; ++b) {
    status = layer.append(sequence_of(inputs.sequences, b), inputs.tokens, {inputs.x.row(b, 0), inputs.x.row_stride});
    if (status == Status::ok) layer.attend(causal, outputs, b);
  }
  return status;
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  Status status = detail::check_call(plan_, cache_, inputs, outputs, Before::replace);
  const Layer layer{plan_, cache_, arena_, weights_, executor};
  for (std::uint32_t b = 0; status == Status::ok && b < inputs.batch; ++b) {
    const std::uint32_t sequence = sequence_of(inputs.sequences, b);
    status = cache_.reset(sequence);
    if (status == Status::ok) {
      status = layer.append(sequence, inputs.tokens, {inputs.x.row(b, 0), inputs.x.row_stride});
    }
    if (status == Status::ok) layer.attend(inputs, outputs, b);
  }
  return status;
}

Status MultiHeadAttention::decode(const float* x, float* y, std::uint32_t sequence) noexcept {
  MultiHeadInputs inputs;
  inputs.tokens = 1;
  inputs.x = {x, 0, 0};
  inputs.sequences = &sequence;
  MultiHeadOutputs outputs;
  outputs.y = {y, 0, 0};
  return prefill(inputs, outputs);
}

}  // namespace heed
