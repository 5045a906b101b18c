// SPDX-License-Identifier: MIT
//
// What the short forms of a layer's calls stand for.
#pragma once

#include <cstdint>

#include "heed/layer.hpp"

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

}  // namespace heed::detail
