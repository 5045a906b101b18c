// SPDX-License-Identifier: MIT
//
// What the short forms of a layer's calls stand for, and what the layer refuses, all of it before anything is written.
#pragma once

#include <cstdint>

#include "attention/causal_masking.hpp"
#include "common/validation.hpp"
#include "heed/layer.hpp"
#include "heed/options.hpp"
#include "layer/sequences.hpp"

namespace heed::detail {

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

/// Whether every token of a call has a position that an offset can count.
[[nodiscard]] constexpr bool positions_fit(const MultiHeadInputs& inputs, std::int32_t causal_offset) noexcept {
  const std::int32_t first = first_query_position(inputs.causal, causal_offset, 0, 0);
  return first <= INT32_MAX - static_cast<std::int32_t>(inputs.tokens - 1);
}

/// Tokens of a batch entry when its queries look at it.
[[nodiscard]] inline std::uint32_t tokens_after(const Sequences& sequences, std::uint32_t batch,
                                                CacheUpdate update) noexcept {
  const std::uint32_t before = update == CacheUpdate::replace ? 0 : sequences.tokens(batch);
  return before + (update == CacheUpdate::nothing ? 0 : sequences.inputs.tokens);
}

/// Most keys that a checked call's queries attend over, in any batch entry: the width of its scores.
[[nodiscard]] std::uint32_t most_keys(const Sequences& sequences, CacheUpdate update) noexcept;

/// Everything that a call refuses apart from its options, which are null for one without, and what it refuses about
/// those over a ring.
[[nodiscard]] Status check_call(const Sequences& sequences, const AttentionOptions* options,
                                const MultiHeadOutputs& outputs, CacheUpdate update) noexcept;

/// The same of a call that only appends.
[[nodiscard]] Status check_append(const Sequences& sequences) noexcept;

}  // namespace heed::detail
