// SPDX-License-Identifier: MIT
//
// The C interface of a layer's calls with options, by the rules of c_api_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layer.hpp"
#include "c/c_api_options.hpp"
#include "heed/heed_multi_head_options.h"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_options, MultiHeadOptions>);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, attention);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, rotary);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, positions);

}  // namespace heed::detail

namespace {

using heed::Executor;
using heed::MultiHeadAttention;
using heed::MultiHeadInputs;
using heed::MultiHeadOptions;
using heed::MultiHeadOutputs;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::twin_of;
using heed::detail::use;

/// Options whose twin in their place is that of the caller's. Null options are none.
[[nodiscard]] heed_multi_head_options adapted(const heed_multi_head_options* options) noexcept {
  heed_multi_head_options made = options == nullptr ? heed_multi_head_options{} : *options;
  heed::detail::adapt(made.attention);
  return made;
}

/// As in c_api_layer.hpp.
template <heed::Status (MultiHeadAttention::*member)(const MultiHeadInputs&, const MultiHeadOptions&,
                                                     const MultiHeadOutputs&, const Executor&) noexcept>
[[nodiscard]] heed_status run_layer(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_options* options, const heed_multi_head_outputs* outputs,
                                    const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  const heed_multi_head_options made = adapted(options);
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return (object.*member)(twin_of(*inputs), in_place<MultiHeadOptions>(made), in_place<MultiHeadOutputs>(*outputs),
                            executor_of(executor));
  });
}

}  // namespace

heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options, const heed_executor* executor) {
  if (inputs == nullptr) return HEED_NULL_POINTER;
  const heed_multi_head_options made = adapted(options);
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.append(twin_of(*inputs), in_place<MultiHeadOptions>(made), executor_of(executor));
  });
}

heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::attend>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_options* options,
                                                 const heed_multi_head_outputs* outputs,
                                                 const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::prefill>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run_layer<&MultiHeadAttention::encode>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_decode_with_options(heed_multi_head_attention* layer, const float* input, float* output,
                                                uint32_t sequence_id, const heed_multi_head_options* options,
                                                const heed_executor* executor) {
  const heed_multi_head_options made = adapted(options);
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, in_place<MultiHeadOptions>(made), executor_of(executor));
  });
}
