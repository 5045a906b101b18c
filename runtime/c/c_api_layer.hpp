// SPDX-License-Identifier: MIT
//
// The calls of a layer over either cache, and of plans that differ in their type alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

/// HEED_SAME_MEMBER of what a layer's configuration has over either cache.
#define HEED_SAME_LAYER_CONFIG(c, cpp)      \
  static_assert(same_size<c, cpp>);         \
  HEED_SAME_MEMBER(c, cpp, model_dim);      \
  HEED_SAME_MEMBER(c, cpp, heads);          \
  HEED_SAME_MEMBER(c, cpp, kv_heads);       \
  HEED_SAME_MEMBER(c, cpp, head_dim);       \
  HEED_SAME_MEMBER(c, cpp, value_dim);      \
  HEED_SAME_MEMBER(c, cpp, kv_input_dim);   \
  HEED_SAME_MEMBER(c, cpp, output_dim);     \
  HEED_SAME_MEMBER(c, cpp, max_keys);       \
  HEED_SAME_MEMBER(c, cpp, max_sequences);  \
  HEED_SAME_MEMBER(c, cpp, workers);        \
  HEED_SAME_MEMBER(c, cpp, scratch_budget); \
  HEED_SAME_MEMBER(c, cpp, weight_type)

/// The same of its plan, which has no other members.
#define HEED_SAME_LAYER_PLAN(c, cpp)           \
  static_assert(same_size<c, cpp>);            \
  HEED_SAME_MEMBER(c, cpp, config);            \
  HEED_SAME_MEMBER(c, cpp, cache);             \
  HEED_SAME_MEMBER(c, cpp, attention);         \
  HEED_SAME_MEMBER(c, cpp, token_rows);        \
  HEED_SAME_MEMBER(c, cpp, state);             \
  HEED_SAME_MEMBER(c, cpp, attention_scratch); \
  HEED_SAME_MEMBER(c, cpp, projected);         \
  HEED_SAME_MEMBER(c, cpp, attention_output);  \
  HEED_SAME_MEMBER(c, cpp, staged_weights);    \
  HEED_SAME_MEMBER(c, cpp, bytes);             \
  HEED_SAME_MEMBER(c, cpp, state_bytes);       \
  HEED_SAME_MEMBER(c, cpp, scratch_bytes);     \
  HEED_SAME_MEMBER(c, cpp, weights_header);    \
  HEED_SAME_MEMBER(c, cpp, query);             \
  HEED_SAME_MEMBER(c, cpp, key);               \
  HEED_SAME_MEMBER(c, cpp, value);             \
  HEED_SAME_MEMBER(c, cpp, output);            \
  HEED_SAME_MEMBER(c, cpp, weights_bytes)

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
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, block_table);
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
template <class Layer,
          Status (Layer::*member)(const MultiHeadInputs&, const MultiHeadOutputs&, const Executor&) noexcept,
          class CLayer>
[[nodiscard]] heed_status run_layer(CLayer* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  return use<Layer>(layer, [&](Layer& object) {
    return (object.*member)(twin_of(*inputs), in_place<MultiHeadOutputs>(*outputs), executor_of(executor));
  });
}

}  // namespace heed::detail
