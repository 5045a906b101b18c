// SPDX-License-Identifier: MIT
//
// The C interface of the multi-head layer.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_layer.h"
#include "heed/layer.hpp"

using heed::Status;
using heed::detail::memory_of;
using heed::detail::or_zeros;

static_assert(sizeof(heed::MultiHeadAttention) == 11 * sizeof(void*));  // as C has it

heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan) {
  return heed::detail::write_plan(config, plan);
}

heed_status heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight, const float* input_bias,
                              const float* output_weight, const float* output_bias, heed_multi_head_weights* weights) {
  if (plan == nullptr || weights == nullptr) return Status::null_pointer;
  *weights = heed::split_packed(*plan, input_weight, input_bias, output_weight, output_bias);
  return Status::ok;
}

heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights, void* packed,
                              size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return Status::null_pointer;
  if (plan->config.weight_type != heed::DataType::float32) return Status::bad_option;
  return heed::detail::pack_float_weights(*plan, *weights, memory_of(packed, packed_bytes));
}

heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                 size_t state_bytes, void* scratch, size_t scratch_bytes,
                                 const heed_packed_weights* weights, const heed_kv_storage* storage) {
  if (layer == nullptr || plan == nullptr || weights == nullptr) return Status::null_pointer;
  return layer->init(*plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes), *weights,
                     or_zeros(storage));
}

heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* state,
                                 size_t state_bytes, void* scratch, size_t scratch_bytes,
                                 const heed_packed_weights* weights, const heed_kv_storage* storage) {
  if (layer == nullptr || plan == nullptr || weights == nullptr) return Status::null_pointer;
  return layer->bind(*plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes), *weights,
                     or_zeros(storage));
}

heed_status heed_multi_head_append(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr) return Status::null_pointer;
  return layer->append(*inputs, or_zeros(executor));
}

heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->attend(*inputs, *outputs, or_zeros(executor));
}

heed_status heed_multi_head_prefill(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->prefill(*inputs, *outputs, or_zeros(executor));
}

heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->encode(*inputs, *outputs, or_zeros(executor));
}

heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* input, float* output,
                                   uint32_t sequence_id, const heed_executor* executor) {
  return layer == nullptr ? Status::null_pointer : layer->decode(input, output, sequence_id, or_zeros(executor));
}

heed_kv_cache* heed_multi_head_cache(heed_multi_head_attention* layer) {
  return layer == nullptr ? nullptr : &layer->cache();
}

heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr) return Status::null_pointer;
  return layer->append(*inputs, or_zeros(options), or_zeros(executor));
}

heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->attend(*inputs, or_zeros(options), *outputs, or_zeros(executor));
}

heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_options* options,
                                                 const heed_multi_head_outputs* outputs,
                                                 const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->prefill(*inputs, or_zeros(options), *outputs, or_zeros(executor));
}

heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  if (layer == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return layer->encode(*inputs, or_zeros(options), *outputs, or_zeros(executor));
}

heed_status heed_multi_head_decode_with_options(heed_multi_head_attention* layer, const float* input, float* output,
                                                uint32_t sequence_id, const heed_multi_head_options* options,
                                                const heed_executor* executor) {
  if (layer == nullptr) return Status::null_pointer;
  return layer->decode(input, output, sequence_id, or_zeros(options), or_zeros(executor));
}

heed_status heed_pack_rounded_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                      void* packed, size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return heed::Status::null_pointer;
  return heed::pack_weights(*plan, *weights, heed::detail::memory_of(packed, packed_bytes));
}
