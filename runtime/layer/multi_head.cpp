// SPDX-License-Identifier: MIT
#include "heed/multi_head.hpp"

#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "layer/multi_head_call.hpp"
#include "layer/multi_head_check.hpp"
#include "layer/packed_weights.hpp"

namespace heed {

using detail::CacheUpdate;
using detail::sequence_of;

namespace {

[[nodiscard]] Status check_memories(const MultiHeadPlan& plan, std::span<const std::byte> arena,
                                    std::span<const std::byte> packed_weights) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  detail::expect_as_made(plan);
  Status status = detail::check_memory(arena, plan.bytes);
  if (status == Status::ok) status = detail::check_memory(packed_weights, plan.weights_bytes);
  if (status != Status::ok) return status;
  return detail::weights_match(plan, packed_weights.data()) ? Status::ok : Status::wrong_weights;
}

}  // namespace

Status MultiHeadAttention::bind(const MultiHeadPlan& plan, std::span<std::byte> arena,
                                std::span<const std::byte> packed_weights) noexcept {
  Status status = check_memories(plan, arena, packed_weights);
  if (status == Status::ok) status = cache_.bind(plan.cache, arena.subspan(plan.state.offset, plan.state.bytes));
  if (status != Status::ok) return status;
  plan_ = plan;
  arena_ = arena.data();
  weights_ = packed_weights.data();
  return Status::ok;
}

Status MultiHeadAttention::init(const MultiHeadPlan& plan, std::span<std::byte> arena,
                                std::span<const std::byte> packed_weights) noexcept {
  Status status = check_memories(plan, arena, packed_weights);
  if (status == Status::ok) status = cache_.init(plan.cache, arena.subspan(plan.state.offset, plan.state.bytes));
  return status == Status::ok ? bind(plan, arena, packed_weights) : status;
}

Status MultiHeadAttention::append(std::uint32_t batch, const std::uint32_t* sequences, std::uint32_t tokens,
                                  ConstMatrix memory, const Executor& executor) noexcept {
  if (arena_ == nullptr) return Status::not_initialised;
  Status status = detail::check_append(plan_, cache_, batch, sequences, tokens, memory);
  if (status != Status::ok) return status;
  const detail::PlainHooks hooks;
  const detail::LayerCall<detail::PlainHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  for (std::uint32_t b = 0; b < batch && status == Status::ok; ++b) {
    status = call.append(b, sequence_of(sequences, b), tokens, {memory.row(b, 0), memory.row_stride});
  }
  return status;
}

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                               detail::CacheUpdate update, const Executor& executor) noexcept {
  const Status status = detail::check_call(plan_, cache_, inputs, outputs, update);
  if (status != Status::ok) return status;
  const detail::PlainHooks hooks;
  const detail::LayerCall<detail::PlainHooks> call{plan_, cache_, arena_, weights_, executor, hooks};
  return call.run(inputs, outputs, update);
}

Status MultiHeadAttention::attend(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  return run(inputs, outputs, CacheUpdate::nothing, executor);
}

Status MultiHeadAttention::prefill(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                   const Executor& executor) noexcept {
  MultiHeadInputs causal = inputs;
  causal.causal = Causal::bottom_right;
  return run(causal, outputs, CacheUpdate::append, executor);
}

Status MultiHeadAttention::encode(const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                  const Executor& executor) noexcept {
  return run(inputs, outputs, CacheUpdate::replace, executor);
}

Status MultiHeadAttention::decode(const float* x, float* y, std::uint32_t sequence) noexcept {
  MultiHeadInputs inputs;
  inputs.tokens = 1;
  inputs.input = {x, 0, 0};
  inputs.sequence_ids = &sequence;
  MultiHeadOutputs outputs;
  outputs.output = {y, 0, 0};
  return prefill(inputs, outputs);
}

}  // namespace heed
