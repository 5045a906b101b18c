// SPDX-License-Identifier: MIT
//
// The C interface of the calls with options of a layer over a KvCache, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer_options.hpp"
#include "heed/heed_kv_multi_head_options.h"
#include "heed/kv_multi_head.hpp"

using heed::KvMultiHeadAttention;
using heed::detail::adapted;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::run_layer;
using heed::detail::twin_of;
using heed::detail::use;

heed_status heed_kv_multi_head_append_with_options(heed_kv_multi_head_attention* layer,
                                                   const heed_multi_head_inputs* inputs,
                                                   const heed_multi_head_options* options,
                                                   const heed_executor* executor) {
  if (inputs == nullptr) return HEED_NULL_POINTER;
  const heed_multi_head_options made = adapted(options);
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.append(twin_of(*inputs), in_place<heed::MultiHeadOptions>(made), executor_of(executor));
  });
}

heed_status heed_kv_multi_head_attend_with_options(heed_kv_multi_head_attention* layer,
                                                   const heed_multi_head_inputs* inputs,
                                                   const heed_multi_head_options* options,
                                                   const heed_multi_head_outputs* outputs,
                                                   const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::attend>(layer, inputs, options, outputs, executor);
}

heed_status heed_kv_multi_head_prefill_with_options(heed_kv_multi_head_attention* layer,
                                                    const heed_multi_head_inputs* inputs,
                                                    const heed_multi_head_options* options,
                                                    const heed_multi_head_outputs* outputs,
                                                    const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::prefill>(layer, inputs, options, outputs, executor);
}

heed_status heed_kv_multi_head_encode_with_options(heed_kv_multi_head_attention* layer,
                                                   const heed_multi_head_inputs* inputs,
                                                   const heed_multi_head_options* options,
                                                   const heed_multi_head_outputs* outputs,
                                                   const heed_executor* executor) {
  return run_layer<KvMultiHeadAttention, &KvMultiHeadAttention::encode>(layer, inputs, options, outputs, executor);
}

heed_status heed_kv_multi_head_decode_with_options(heed_kv_multi_head_attention* layer, const float* input,
                                                   float* output, uint32_t sequence_id,
                                                   const heed_multi_head_options* options,
                                                   const heed_executor* executor) {
  const heed_multi_head_options made = adapted(options);
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, in_place<heed::MultiHeadOptions>(made), executor_of(executor));
  });
}
