// SPDX-License-Identifier: MIT
//
// The C interface of the layer over a KvCache, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_kv_layer.hpp"
#include "c/c_api_layer.hpp"
#include "heed/heed_kv_cache.h"
#include "heed/heed_kv_multi_head.h"
#include "heed/kv_multi_head.hpp"

namespace heed::detail {

static_assert(same_size<heed_kv_multi_head_attention, KvMultiHeadAttention>);  // the members are private

}  // namespace heed::detail

namespace {

using heed::KvMultiHeadAttention;
using heed::KvMultiHeadPlan;
using heed::detail::answer;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::run_layer;
using heed::detail::twin_of;
using heed::detail::use;

}  // namespace

heed_status heed_plan_kv_multi_head(const heed_kv_multi_head_config* config, heed_kv_multi_head_plan* plan) {
  if (config == nullptr) return HEED_NULL_POINTER;
  const heed_kv_multi_head_config with_bools = heed::detail::adapted(*config);
  return heed::detail::write_plan<KvMultiHeadPlan>(&with_bools, plan);
}

heed_multi_head_weights heed_kv_split_packed(const heed_kv_multi_head_plan* plan, const float* input_weight,
                                             const float* input_bias, const float* output_weight,
                                             const float* output_bias) {
  if (plan == nullptr) return {};
  return std::bit_cast<heed_multi_head_weights>(
      heed::split_packed(in_place<KvMultiHeadPlan>(*plan), input_weight, input_bias, output_weight, output_bias));
}

heed_status heed_kv_pack_weights(const heed_kv_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                 void* packed, size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  if (plan->config.weight_type != HEED_WEIGHT_FLOAT32) return HEED_BAD_OPTION;
  return answer(heed::detail::pack_float_weights(
      in_place<KvMultiHeadPlan>(*plan), in_place<heed::MultiHeadWeights>(*weights), memory_of(packed, packed_bytes)));
}

heed_status heed_kv_multi_head_init(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                    void* arena, size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.init(in_place<KvMultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_kv_multi_head_bind(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                    void* arena, size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.bind(in_place<KvMultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_kv_multi_head_init_split(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                          void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.init(in_place<KvMultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_kv_multi_head_bind_split(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                          void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.bind(in_place<KvMultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_kv_multi_head_append(heed_kv_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                      const heed_executor* executor) {
  if (inputs == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(
      layer, [&](KvMultiHeadAttention& object) { return object.append(twin_of(*inputs), executor_of(executor)); });
}

heed_status heed_kv_multi_head_attend(heed_kv_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                      const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::attend>(layer, inputs, outputs, executor);
}

heed_status heed_kv_multi_head_prefill(heed_kv_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                       const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::prefill>(layer, inputs, outputs, executor);
}

heed_status heed_kv_multi_head_encode(heed_kv_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                      const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::encode>(layer, inputs, outputs, executor);
}

heed_status heed_kv_multi_head_decode(heed_kv_multi_head_attention* layer, const float* input, float* output,
                                      uint32_t sequence_id, const heed_executor* executor) {
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, executor_of(executor));
  });
}

heed_status heed_kv_multi_head_set_key_scales(heed_kv_multi_head_attention* layer, const float* scales,
                                              size_t scale_count) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_kv_cache_set_key_scales(&layer->cache, scales, scale_count);
}

heed_status heed_kv_multi_head_truncate(heed_kv_multi_head_attention* layer, uint32_t sequence, uint32_t length) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_kv_cache_truncate(&layer->cache, sequence, length);
}

heed_status heed_kv_multi_head_reset(heed_kv_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_kv_cache_reset(&layer->cache, sequence);
}

uint32_t heed_kv_multi_head_length(const heed_kv_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? 0 : heed_kv_cache_length(&layer->cache, sequence);
}

uint32_t heed_kv_multi_head_tokens(const heed_kv_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? 0 : heed_kv_cache_tokens(&layer->cache, sequence);
}
