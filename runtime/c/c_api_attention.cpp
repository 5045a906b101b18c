// SPDX-License-Identifier: MIT
//
// The C interface of attention, by the rules of c_api_calls.hpp.
#include "c/c_api_attention.hpp"

#include <cstddef>

#include "c/c_api_calls.hpp"
#include "heed/attention.hpp"
#include "heed/heed_attention.h"

using heed::detail::answer;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::twin_of;
using heed::detail::write_plan;

heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan) {
  return write_plan<heed::AttentionPlan>(config, plan);
}

heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                        const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                        const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  return answer(heed::attend(in_place<heed::AttentionPlan>(*plan), memory_of(arena, arena_bytes), twin_of(*inputs),
                             in_place<heed::AttentionOutputs>(*outputs), executor_of(executor)));
}
