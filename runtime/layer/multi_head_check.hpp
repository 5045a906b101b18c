// SPDX-License-Identifier: MIT
//
// What the multi-head layer refuses, all of it before anything is written. Sequences is FloatSequences or KvSequences.
#pragma once

#include <cstdint>

#include "attention/causal_masking.hpp"
#include "common/validation.hpp"
#include "heed/multi_head.hpp"

namespace heed::detail {

/// The outputs of a checked call; scores of `keys` keys.
[[nodiscard]] Status check_outputs(const AttentionConfig& heads, std::uint32_t output_dim,
                                   const MultiHeadInputs& inputs, const MultiHeadOutputs& outputs,
                                   std::uint32_t keys) noexcept;

/// What every call refuses about its counts, and one that attends (`attends`) about scale, masks and dimensions.
[[nodiscard]] Status check_numbers(const MultiHeadInputs& inputs, bool attends, bool same_dims) noexcept;

/// Whether every token of a call has a position that an offset can count.
[[nodiscard]] constexpr bool positions_fit(const MultiHeadInputs& inputs, std::int32_t causal_offset) noexcept {
  const std::int32_t first = first_query_position(inputs.causal, causal_offset, 0, 0);
  return first <= INT32_MAX - static_cast<std::int32_t>(inputs.tokens - 1);
}

/// Tokens of a batch entry when its queries look at it.
template <class Sequences>
[[nodiscard]] std::uint32_t tokens_after(const Sequences& sequences, std::uint32_t batch, CacheUpdate update) noexcept {
  const std::uint32_t before = update == CacheUpdate::replace ? 0 : sequences.tokens(batch);
  return before + (update == CacheUpdate::nothing ? 0 : sequences.inputs.tokens);
}

/// Most keys that a checked call's queries attend over, in any batch entry: the width of its scores.
template <class Sequences>
[[nodiscard]] std::uint32_t most_keys(const Sequences& sequences, CacheUpdate update) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < sequences.inputs.batch; ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (keys > most) most = keys;
  }
  return most;
}

/// Everything that a call refuses apart from its options; outputs are null for one that only appends.
template <class Plan, class Sequences>
[[nodiscard, gnu::noinline]] Status check_call(const Plan& plan, const Sequences& sequences,
                                               const MultiHeadOutputs* outputs, CacheUpdate update) noexcept {
  const MultiHeadInputs& inputs = sequences.inputs;
  const bool attends = outputs != nullptr;
  const bool same_dims = update == CacheUpdate::nothing || plan.key.inputs == plan.query.inputs;
  Status status = check_numbers(inputs, attends, same_dims);
  if (status == Status::ok) status = sequences.check(update);
  if (status != Status::ok) return status;
  if (!attends) return check_input(inputs.input, inputs.batch, inputs.tokens, plan.key.inputs);
  std::uint32_t most = 0;
  for (std::uint32_t b = 0; b < inputs.batch; ++b) {
    const std::uint32_t keys = sequences.keys(tokens_after(sequences, b, update));
    if (inputs.key_lengths != nullptr && inputs.key_lengths[b] > keys) return Status::bad_length;
    if (keys > most) most = keys;
  }
  status = check_input(inputs.input, inputs.batch, inputs.tokens, plan.query.inputs);
  if (status != Status::ok) return status;
  return check_outputs(plan.attention.config, plan.output.outputs, inputs, *outputs, most);
}

}  // namespace heed::detail
