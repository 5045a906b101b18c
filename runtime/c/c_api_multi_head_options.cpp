// SPDX-License-Identifier: MIT
//
// The C interface of a layer's calls with options, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_options.hpp"
#include "heed/heed_multi_head_options.h"
#include "heed/multi_head.hpp"
#include "heed/multi_head_options.hpp"
#include "heed/rotary.hpp"

namespace {

using heed::MultiHeadAttention;
using heed::MultiHeadInputs;
using heed::MultiHeadOptions;
using heed::MultiHeadOutputs;
using heed::detail::executor_of;
using heed::detail::same_size;
using heed::detail::use;

static_assert(same_size<heed_multi_head_options, MultiHeadOptions>);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, attention);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, rotary);
HEED_SAME_MEMBER(heed_multi_head_options, MultiHeadOptions, positions);

/// The options, which point to `rotary` if they name one.
[[nodiscard]] MultiHeadOptions twin_of(const heed_multi_head_options* options, heed::Rotary& rotary) noexcept {
  if (options == nullptr) return {};
  const heed::Rotary* turned = nullptr;
  if (options->rotary != nullptr) {
    rotary = std::bit_cast<heed::Rotary>(*options->rotary);
    turned = &rotary;
  }
  return {heed::detail::twin_of(&options->attention), turned, options->positions};
}

using Run = heed::Status (MultiHeadAttention::*)(const MultiHeadInputs&, const MultiHeadOptions&,
                                                 const MultiHeadOutputs&, const heed::Executor&) noexcept;

/// The member is a constant, so that every call is direct and the call graph can be checked.
template <Run member>
[[nodiscard]] heed_status run(const heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                              const heed_multi_head_options* options, const heed_multi_head_outputs* outputs,
                              const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  heed::Rotary rotary;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return (object.*member)(std::bit_cast<MultiHeadInputs>(*inputs), twin_of(options, rotary),
                            std::bit_cast<MultiHeadOutputs>(*outputs), executor_of(executor));
  });
}

}  // namespace

heed_status heed_multi_head_append_with_options(heed_multi_head_attention* layer, uint32_t batch,
                                                const uint32_t* sequences, uint32_t tokens, heed_const_matrix memory,
                                                const heed_multi_head_options* options, const heed_executor* executor) {
  heed::Rotary rotary;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.append(batch, sequences, tokens, std::bit_cast<heed::ConstMatrix>(memory), twin_of(options, rotary),
                         executor_of(executor));
  });
}

heed_status heed_multi_head_attend_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run<&MultiHeadAttention::attend>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_prefill_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                 const heed_multi_head_options* options,
                                                 const heed_multi_head_outputs* outputs,
                                                 const heed_executor* executor) {
  return run<&MultiHeadAttention::prefill>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_encode_with_options(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                                const heed_multi_head_options* options,
                                                const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run<&MultiHeadAttention::encode>(layer, inputs, options, outputs, executor);
}

heed_status heed_multi_head_decode_with_options(heed_multi_head_attention* layer, const float* input, float* output,
                                                uint32_t sequence_id, const heed_multi_head_options* options,
                                                const heed_executor* executor) {
  heed::Rotary rotary;
  return use<MultiHeadAttention>(layer, [&](MultiHeadAttention& object) {
    return object.decode(input, output, sequence_id, twin_of(options, rotary), executor_of(executor));
  });
}
