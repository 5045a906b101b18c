// SPDX-License-Identifier: MIT
//
// The members of MultiHeadLayer without options, for the source files that instantiate them.
#pragma once

#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "heed/multi_head.hpp"
#include "layer/multi_head_call.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/packed_weights.hpp"
#include "linear/weight_format.hpp"

namespace heed {
namespace detail {

template <class Plan>
[[nodiscard]] Status check_memories(const Plan& plan, const std::span<std::byte>& state,
                                    const std::span<std::byte>& scratch, const PackedWeights& packed_weights) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  expect_as_made(plan);
  const Status status = check_memories({used(state, plan.state_bytes), used(scratch, plan.scratch_bytes),
                                        used(packed_weights.bytes, plan.weights_bytes)});
  if (status != Status::ok) return status;
  if (!header_matches(weights_header(plan), packed_weights.bytes.data())) return Status::wrong_weights;
  return reads(packed_weights.format, plan.query.type) ? Status::ok : Status::missing_format;
}

/// What append() without outputs reads.
[[nodiscard]] inline MultiHeadInputs append_inputs(std::uint32_t batch, const std::uint32_t* sequence_ids,
                                                   std::uint32_t tokens, const ConstMatrix& input) noexcept {
  MultiHeadInputs inputs;
  inputs.batch = batch;
  inputs.tokens = tokens;
  inputs.input = input;
  inputs.sequence_ids = sequence_ids;
  return inputs;
}

/// What decode() reads: one token of one sequence. `sequence_id` stays where it is.
[[nodiscard]] inline MultiHeadInputs decode_inputs(const float* input, const std::uint32_t& sequence_id) noexcept {
  MultiHeadInputs inputs = append_inputs(1, &sequence_id, 1, {input, 0, 0});
  inputs.causal = Causal::bottom_right;
  return inputs;
}

[[nodiscard]] inline MultiHeadOutputs decode_outputs(float* output) noexcept {
  MultiHeadOutputs outputs;
  outputs.output = {output, 0, 0};
  return outputs;
}

[[nodiscard]] inline MultiHeadInputs prefilled(const MultiHeadInputs& inputs) noexcept {
  MultiHeadInputs causal = inputs;
  causal.causal = Causal::bottom_right;
  return causal;
}

}  // namespace detail

template <class Cache>
Status MultiHeadLayer<Cache>::bind(const Plan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                   const PackedWeights& packed_weights) noexcept {
  Status status = detail::check_memories(plan, state, scratch, packed_weights);
  if (status == Status::ok) status = cache_.bind(plan.cache, state);
  if (status == Status::ok) place(plan, state.data(), scratch.data(), packed_weights);
  return status;
}

template <class Cache>
Status MultiHeadLayer<Cache>::init(const Plan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                   const PackedWeights& packed_weights) noexcept {
  Status status = detail::check_memories(plan, state, scratch, packed_weights);
  if (status == Status::ok) status = cache_.init(plan.cache, state);
  if (status == Status::ok) place(plan, state.data(), scratch.data(), packed_weights);
  return status;
}

template <class Cache>
Status MultiHeadLayer<Cache>::run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  detail::CacheUpdate update, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const auto sequences = detail::sequences_of(*plan_, cache_, inputs);
  Status status = detail::check_call(*plan_, sequences, &outputs, update);
  if (status == Status::ok) status = sequences.check_masks(nullptr, update);
  if (status != Status::ok) return status;
  const detail::PlainHooks hooks;
  const detail::LayerCall call{*plan_, sequences, scratch_, weights_, weight_format_, executor, hooks};
  return call.run(outputs, update);
}

template <class Cache>
Status MultiHeadLayer<Cache>::append(const MultiHeadInputs& inputs, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const auto sequences = detail::sequences_of(*plan_, cache_, inputs);
  const Status status = detail::check_call(*plan_, sequences, nullptr, detail::CacheUpdate::append);
  if (status != Status::ok) return status;
  const detail::PlainHooks hooks;
  const detail::LayerCall call{*plan_, sequences, scratch_, weights_, weight_format_, executor, hooks};
  return call.append();
}

template <class Cache>
Status MultiHeadLayer<Cache>::append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                                     ConstMatrix input, const Executor& executor) noexcept {
  return append(detail::append_inputs(batch, sequence_ids, tokens, input), executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                     const Executor& executor) noexcept {
  return run(inputs, outputs, detail::CacheUpdate::nothing, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                      const Executor& executor) noexcept {
  return run(detail::prefilled(inputs), outputs, detail::CacheUpdate::append, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                     const Executor& executor) noexcept {
  return run(inputs, outputs, detail::CacheUpdate::replace, executor);
}

template <class Cache>
Status MultiHeadLayer<Cache>::decode(const float* input, float* output, std::uint32_t sequence_id,
                                     const Executor& executor) noexcept {
  return run(detail::decode_inputs(input, sequence_id), detail::decode_outputs(output), detail::CacheUpdate::append,
             executor);
}

}  // namespace heed
