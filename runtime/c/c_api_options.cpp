// SPDX-License-Identifier: MIT
//
// The C interface of attention with options, by the rules of c_api_calls.hpp.
#include "c/c_api_options.hpp"

#include <bit>
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "heed/attention.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"

using heed::detail::twin_of;

heed_status heed_attend_with_options(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                     const heed_attention_inputs* inputs, const heed_attention_options* options,
                                     const heed_attention_outputs* outputs, const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  heed::FloatKvCache cache;
  return heed::detail::answer(heed::attend(
      std::bit_cast<heed::AttentionPlan>(*plan), heed::detail::memory_of(arena, arena_bytes), twin_of(*inputs, cache),
      twin_of(options), std::bit_cast<heed::AttentionOutputs>(*outputs), heed::detail::executor_of(executor)));
}
