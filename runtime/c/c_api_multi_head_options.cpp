// SPDX-License-Identifier: MIT
//
// The C interface of a layer's calls with options.
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_layer.h"
#include "heed/layer.hpp"

using heed::Status;
using heed::detail::or_zeros;

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
