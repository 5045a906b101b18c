// SPDX-License-Identifier: MIT
//
// The C interface of the layer, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer.hpp"
#include "heed/heed_float_kv_cache.h"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

namespace heed::detail {

HEED_SAME_LAYER_CONFIG(heed_multi_head_config, MultiHeadConfig);

static_assert(same_size<heed_linear_plan, LinearPlan>);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, inputs);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, outputs);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, type);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, weights);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, scales);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, bias);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, bytes);
HEED_SAME_MEMBER(heed_linear_plan, LinearPlan, staging_bytes);

HEED_SAME_LAYER_PLAN(heed_multi_head_plan, MultiHeadPlan);

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
  if (plan->config.weight_type != HEED_WEIGHT_FLOAT32) return HEED_BAD_OPTION;
  return answer(heed::detail::pack_float_weights(in_place<heed::MultiHeadPlan>(*plan),
                                                 in_place<heed::MultiHeadWeights>(*weights),
                                                 memory_of(packed, packed_bytes)));
}

heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.init(in_place<heed::MultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.bind(in_place<heed::MultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_init_split(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                       size_t state_bytes, void* scratch, size_t scratch_bytes,
                                       const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.init(in_place<heed::MultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_bind_split(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                       size_t state_bytes, void* scratch, size_t scratch_bytes,
                                       const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.bind(in_place<heed::MultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_append(heed_multi_head_attention* layer, uint32_t batch, const uint32_t* sequence_ids,
                                   uint32_t tokens, heed_const_matrix input, const heed_executor* executor) {
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.append(batch, sequence_ids, tokens, std::bit_cast<heed::ConstMatrix>(input), executor_of(executor));
  });
}

heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::attend>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_prefill(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::prefill>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::encode>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* input, float* output,
                                   uint32_t sequence_id) {
  return heed_multi_head_decode_on(layer, input, output, sequence_id, nullptr);
}

heed_status heed_multi_head_decode_on(heed_multi_head_attention* layer, const float* input, float* output,
                                      uint32_t sequence_id, const heed_executor* executor) {
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, executor_of(executor));
  });
}

heed_status heed_multi_head_truncate(heed_multi_head_attention* layer, uint32_t sequence, uint32_t length) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_float_kv_cache_truncate(&layer->cache, sequence, length);
}

heed_status heed_multi_head_reset(heed_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_float_kv_cache_reset(&layer->cache, sequence);
}

uint32_t heed_multi_head_length(const heed_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? 0 : heed_float_kv_cache_length(&layer->cache, sequence);
}

uint32_t heed_multi_head_tokens(const heed_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? 0 : heed_float_kv_cache_tokens(&layer->cache, sequence);
}
