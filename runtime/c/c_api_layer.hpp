// SPDX-License-Identifier: MIT
//
// The inputs and outputs of a layer's calls.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_inputs, MultiHeadInputs>);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, batch);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, tokens);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, input);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, sequence_ids);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, key_lengths);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal_offset);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, scale);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, page_table);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, past_lengths);

static_assert(same_size<heed_multi_head_outputs, MultiHeadOutputs>);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, output);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, head_outputs);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, scores);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, score_stage);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, log_sum_exp);

[[nodiscard]] inline MultiHeadInputs twin_of(const heed_multi_head_inputs& inputs) noexcept {
  auto twin = std::bit_cast<MultiHeadInputs>(inputs);
  twin.batch = at_least_one(twin.batch);
  return twin;
}

/// A layer's call with outputs. The member is a constant, so that every call is direct and the call graph can be
/// checked.
template <Status (MultiHeadAttention::*member)(const MultiHeadInputs&, const MultiHeadOutputs&,
                                               const Executor&) noexcept>
[[nodiscard]] heed_status run_layer(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return (object.*member)(twin_of(*inputs), in_place<MultiHeadOutputs>(*outputs), executor_of(executor));
  });
}

}  // namespace heed::detail
