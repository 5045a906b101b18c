// SPDX-License-Identifier: MIT
//
// The C interface of a layer's calls with options, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer_options.hpp"
#include "heed/heed_multi_head_options.h"
#include "heed/multi_head.hpp"

namespace {

using heed::MultiHeadAttention;
using heed::detail::adapted;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::run_layer;
using heed::detail::use;

}  // namespace

heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer, uint32_t batch,
                                                const uint32_t* sequences, uint32_t tokens, heed_const_matrix memory,
                                                const heed_multi_head_options* options, const heed_executor* executor) {
  const heed_multi_head_options made = adapted(options);
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.append(batch, sequences, tokens, std::bit_cast<heed::ConstMatrix>(memory),
                         in_place<heed::MultiHeadOptions>(made), executor_of(executor));
  });
}

heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::attend>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_options* options,
                                                 const heed_multi_head_outputs* outputs,
                                                 const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::prefill>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<MultiHeadAttention, &MultiHeadAttention::encode>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_decode_with_options(heed_multi_head_attention* layer, const float* input, float* output,
                                                uint32_t sequence_id, const heed_multi_head_options* options,
                                                const heed_executor* executor) {
  const heed_multi_head_options made = adapted(options);
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, in_place<heed::MultiHeadOptions>(made), executor_of(executor));
  });
}
