// SPDX-License-Identifier: MIT
//
// The member of MultiHeadLayer with rotary positions and no other option, which is all that a block needs: it links no
// masks, biases and caps. For the source files that instantiate it.
#pragma once

#include "layer/multi_head_layer.hpp"
#include "positions/rope.hpp"

namespace heed {
namespace detail {

/// A layer with rotary positions.
struct RotaryHooks : PlainHooks {
  const LayerRotary& layer;

  explicit RotaryHooks(const LayerRotary& rotary) noexcept : layer(rotary) {}

  void rotate(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    if (layer.rotary == nullptr) return;
    const std::uint32_t number = rows.number + rows.first - layer.begin;
    RotaryPositions tokens{.heads = heads, .tokens = rows.count, .first_positions = &number};
    if (layer.positions != nullptr) {
      tokens.positions = layer.positions + std::size_t{rows.batch} * rows.inputs.tokens + rows.first;
    }
    const MutableTensor view = bshd(data, heads, rows.count, layer.rotary->plan.config.head_dim);
    detail::rotate(*layer.rotary, tokens, view, view);
  }
};

/// Positions of a call's tokens; those of attend() are the last ones of their sequences.
template <class Plan, class Sequences>
[[nodiscard]] Status check_rotary(const Plan& plan, const Sequences& sequences, const LayerRotary& layer,
                                  CacheUpdate update) noexcept {
  if (layer.rotary == nullptr) return Status::ok;
  const std::uint32_t head_dim = layer.rotary->plan.config.head_dim;
  if (head_dim == 0) return Status::not_initialised;
  if (head_dim != plan.config.head_dim) return Status::plan_mismatch;
  const std::uint32_t tokens = sequences.inputs.tokens;
  for (std::uint32_t b = 0; b < sequences.inputs.batch; ++b) {
    const std::uint32_t after = tokens_after(sequences, b, update);
    const bool counted = layer.positions == nullptr;
    if (counted && after < tokens) return Status::bad_length;
    const std::uint32_t first = after - tokens - layer.begin;
    const std::uint32_t* const positions = counted ? nullptr : layer.positions + std::size_t{b} * tokens;
    const Status status =
        check_positions(*layer.rotary, {.tokens = tokens, .positions = positions, .first_positions = &first});
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace detail

template <class Cache>
Status MultiHeadLayer<Cache>::run(const MultiHeadInputs& inputs, const detail::LayerRotary& rotary,
                                  const MultiHeadOutputs& outputs, detail::CacheUpdate update,
                                  const Executor& executor) noexcept {
  if (plan_ == nullptr) return Status::not_initialised;
  const auto sequences = detail::sequences_of(*plan_, cache_, inputs);
  Status status = detail::check_call(*plan_, sequences, &outputs, update);
  if (status == Status::ok) status = sequences.check_masks(nullptr, update);
  if (status == Status::ok) status = detail::check_rotary(*plan_, sequences, rotary, update);
  if (status != Status::ok) return status;
  const detail::RotaryHooks hooks(rotary);
  const detail::LayerCall call{*plan_, sequences, scratch_, weights_, weight_format_, executor, hooks};
  return call.run(outputs, update);
}

}  // namespace heed
