// SPDX-License-Identifier: MIT
//
// The C interface of the layer, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_kv_cache.hpp"
#include "c/c_api_layer.hpp"
#include "c/c_api_weights.hpp"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_config, MultiHeadConfig>);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, model_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, heads);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, kv_heads);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, head_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, value_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, kv_input_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, output_dim);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, max_keys);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, max_sequences);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, workers);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, scratch_budget);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, weight_type);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, key_type);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, value_type);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, ring);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, sink_tokens);
HEED_SAME_MEMBER(heed_multi_head_config, MultiHeadConfig, max_pages);

static_assert(same_size<heed_linear_plan, LinearPlan>);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, inputs);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, outputs);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, type);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, weights);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, scales);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, bias);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, bytes);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, staging_bytes);

static_assert(same_size<heed_multi_head_plan, MultiHeadPlan>);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, config);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, cache);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, token_rows);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, state);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention_scratch);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, projected);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, attention_output);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, staged_weights);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, bytes);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, state_bytes);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, scratch_bytes);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, weights_header);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, query);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, key);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, value);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, output);
HEED_SAME_MEMBER(heed_multi_head_plan, MultiHeadPlan, weights_bytes);

static_assert(same_size<heed_multi_head_weights, MultiHeadWeights>);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, query);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, key);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, value);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, output);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, query_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, key_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, value_bias);
HEED_SAME_MEMBER(heed_multi_head_weights, MultiHeadWeights, output_bias);

static_assert(same_size<heed_multi_head_attention, MultiHeadAttention>);  // the members are private

}  // namespace heed::detail

namespace {

using heed::detail::answer;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::use;
using heed::detail::write_plan;

using heed::MultiHeadAttention;
using heed::detail::run_layer;
using heed::detail::storage_of;
using heed::detail::twin_of;

}  // namespace

heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan) {
  return write_plan<heed::MultiHeadPlan>(config, plan);
}

heed_multi_head_weights heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                          const float* input_bias, const float* output_weight,
                                          const float* output_bias) {
  if (plan == nullptr) return {};
  return std::bit_cast<heed_multi_head_weights>(
      heed::split_packed(in_place<heed::MultiHeadPlan>(*plan), input_weight, input_bias, output_weight, output_bias));
}

heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights, void* packed,
                              size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  if (plan->config.weight_type != HEED_DATA_TYPE_FLOAT32) return HEED_BAD_OPTION;
  return answer(heed::detail::pack_float_weights(in_place<heed::MultiHeadPlan>(*plan),
                                                 in_place<heed::MultiHeadWeights>(*weights),
                                                 memory_of(packed, packed_bytes)));
}

heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                 size_t state_bytes, void* scratch, size_t scratch_bytes,
                                 const heed_packed_weights* weights, const heed_kv_storage* storage) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.init(in_place<heed::MultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), twin_of(*weights), storage_of(storage));
  });
}

heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                 size_t state_bytes, void* scratch, size_t scratch_bytes,
                                 const heed_packed_weights* weights, const heed_kv_storage* storage) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.bind(in_place<heed::MultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), twin_of(*weights), storage_of(storage));
  });
}

heed_status heed_multi_head_append(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_executor* executor) {
  if (inputs == nullptr) return HEED_NULL_POINTER;
  return use<MultiHeadAttention>(
      layer, [&](MultiHeadAttention& object) { return object.append(twin_of(*inputs), executor_of(executor)); });
}

heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::attend>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_prefill(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::prefill>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::encode>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* input, float* output,
                                   uint32_t sequence_id, const heed_executor* executor) {
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, executor_of(executor));
  });
}
