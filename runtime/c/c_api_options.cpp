// SPDX-License-Identifier: MIT
//
// The C interface of attention with options.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"

using heed::Status;
using heed::detail::memory_of;
using heed::detail::or_zeros;

heed_status heed_attend_with_options(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                                     const heed_attention_inputs* inputs, const heed_attention_options* options,
                                     const heed_attention_outputs* outputs, const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return heed::attend(*plan, memory_of(arena, arena_bytes), *inputs, or_zeros(options), *outputs, or_zeros(executor));
}

heed_status heed_mean_over_heads(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t keys,
                                 heed_const_tensor scores, heed_matrix mean) {
  return heed::mean_over_heads(batch, heads, queries, keys, scores, mean);
}
