// SPDX-License-Identifier: MIT
//
// A layer's call with rotary positions and no other option, which is all that a transformer block needs: it links no
// masks, biases and caps.
#include "layer/multi_head_rotary.hpp"

#include "positions/named_positions.hpp"

namespace heed {

Status detail::check_rotary(const Sequences& sequences, const LayerRotary& layer, CacheUpdate update) noexcept {
  if (layer.rotary == nullptr) return Status::ok;
  const std::uint32_t head_dim = layer.rotary->plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (head_dim != sequences.plan.config.head_dim) return Status::plan_mismatch;
  const std::uint32_t tokens = sequences.inputs.tokens;
  for (std::uint32_t b = 0; b < sequences.entries; ++b) {
    const std::uint32_t after = tokens_after(sequences, b, update);
    const bool counted = layer.positions == nullptr;
    if (counted && after < tokens) return Status::bad_length;
    const std::uint32_t first = after - tokens - layer.begin;
    const std::uint32_t* const positions = counted ? nullptr : layer.positions + std::size_t{b} * tokens;
    const Status status = check_positions(
        *layer.rotary, {.batch = 1, .heads = 1, .tokens = tokens, .positions = positions, .first_positions = &first});
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status MultiHeadAttention::run(const MultiHeadInputs& inputs, const detail::LayerRotary& rotary,
                               const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                               const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::RotaryHooks hooks(rotary);
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  Status status = detail::check_call(call.sequences, nullptr, outputs, update);
  if (status == Status::ok) status = detail::check_rotary(call.sequences, rotary, update);
  if (status != Status::ok) return status;
  return call.run(outputs, update);
}

Status MultiHeadAttention::append_in_block(const MultiHeadInputs& inputs, const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const detail::LayerRotary rotary;
  const detail::RotaryHooks hooks(rotary);
  const detail::LayerCall call{*plan_, cache_, inputs, scratch_, weights_, weight_format_, executor, hooks};
  const Status status = detail::check_append(call.sequences);
  if (status != Status::ok) return status;
  return call.append();
}

}  // namespace heed
