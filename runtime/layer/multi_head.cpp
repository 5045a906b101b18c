// SPDX-License-Identifier: MIT
#include "cache/cache_parts.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/layer.hpp"
#include "layer/multi_head_call.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/packed_weights.hpp"

namespace heed {

Status MultiHeadAttention::check_place(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                                       const PackedWeights& packed_weights, const KvStorage& storage) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  detail::assert_plan_unchanged(plan);
  const Status status = detail::check_memories({detail::used(memories.state, plan.state_bytes),
                                                detail::used(memories.scratch, plan.scratch_bytes),
                                                detail::used(packed_weights.span(), plan.weights_bytes)});
  if (status != Status::ok) return status;
  if (!detail::header_matches(detail::weights_header(plan), packed_weights.span().data())) return Status::wrong_weights;
  const bool complete = detail::multiplies(packed_weights.format, plan.products) &&
                        (plan.config.max_pages == 0 || storage.pages != nullptr) &&
                        detail::is_named(plan.cache.config, storage);
  return complete ? detail::check_floats() : Status::missing_format;
}

void MultiHeadAttention::place(const MultiHeadPlan& plan, std::byte* state, std::byte* scratch,
                               const PackedWeights& packed_weights, const KvStorage& storage) noexcept {
  plan_ = &plan;
  cache_.place(plan.cache, state, storage);
  scratch_ = scratch;
  weights_ = packed_weights.span().data();
  weight_format_ = packed_weights.format;
}

Status MultiHeadAttention::bind(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                                const PackedWeights& packed_weights, const KvStorage& storage,
                                const detail::LinkedCode* /*code*/) noexcept {
  Status status = check_place(plan, memories, packed_weights, storage);
  if (status == Status::ok) status = cache_.bind(plan.cache, memories.state, storage);
  if (status == Status::ok) place(plan, memories.state.data(), memories.scratch.data(), packed_weights, storage);
  return status;
}

Status MultiHeadAttention::init(const MultiHeadPlan& plan, const detail::LayerMemories& memories,
                                const PackedWeights& packed_weights, const KvStorage& storage,
                                const detail::LinkedCode* /*code*/) noexcept {
  const Status status = check_place(plan, memories, packed_weights, storage);
  if (status != Status::ok) return status;
  place(plan, memories.state.data(), memories.scratch.data(), packed_weights, storage);
  cache_.clear();
  return Status::ok;
}

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                               detail::CacheUpdate update, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::PlainHooks hooks;
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  const Status status = detail::check_call(call.sequences, nullptr, outputs, update);
  if (status != Status::ok) return status;
  return call.run(outputs, update);
}

Status MultiHeadAttention::append(const MultiHeadInputs& inputs, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::PlainHooks hooks;
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  const Status status = detail::check_append(call.sequences);
  if (status != Status::ok) return status;
  return call.append();
}

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequence_ids, std::uint32_t tokens,
                                  ConstMatrix input, const Executor& executor) noexcept {
  return append(detail::append_inputs(batch, sequence_ids, tokens, input), executor);
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  return run(inputs, outputs, detail::CacheUpdate::nothing, executor);
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                   const Executor& executor) noexcept {
  return run(detail::prefilled(inputs), outputs, detail::CacheUpdate::append, executor);
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  return run(inputs, outputs, detail::CacheUpdate::replace, executor);
}

Status MultiHeadAttention::decode(const float* input, float* output, std::uint32_t sequence_id,
                                  const Executor& executor) noexcept {
  return run(detail::decode_inputs(input, sequence_id), detail::decode_outputs(output), detail::CacheUpdate::append,
             executor);
}

}  // namespace heed
