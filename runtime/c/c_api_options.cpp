// SPDX-License-Identifier: MIT
//
// The C interface of attention with options, by the rules of c_api_calls.hpp.
#include "c/c_api_options.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_attention.hpp"
#include "c/c_api_calls.hpp"
#include "heed/attention.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"
#include "heed/tensor.hpp"

using heed::detail::in_place;
using heed::detail::twin_of;

heed_status heed_attend_with_options(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                     const heed_attention_inputs* inputs, const heed_attention_options* options,
                                     const heed_attention_outputs* outputs, const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  const heed_attention_options made = heed::detail::adapted(options);
  return heed::detail::answer(
      heed::attend(in_place<heed::AttentionPlan>(*plan), heed::detail::memory_of(arena, arena_bytes), twin_of(*inputs),
                   in_place<heed::AttentionOptions>(made), in_place<heed::AttentionOutputs>(*outputs),
                   heed::detail::executor_of(executor)));
}

heed_status heed_mean_over_heads(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t keys,
                                 heed_const_tensor scores, heed_matrix mean) {
  return heed::detail::answer(heed::mean_over_heads(batch, heads, queries, keys, heed::detail::view_of(scores),
                                                    std::bit_cast<heed::MutableMatrix>(mean)));
}
