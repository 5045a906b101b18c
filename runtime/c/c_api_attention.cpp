// SPDX-License-Identifier: MIT
//
// The C interface of attention, and of merging its results.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/attention.hpp"
#include "heed/heed_attention.h"

using heed::Status;
using heed::detail::memory_of;
using heed::detail::or_zeros;

heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan) {
  return heed::detail::write_plan(config, plan);
}

heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                        const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                        const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return Status::null_pointer;
  return heed::attend(*plan, memory_of(arena, arena_bytes), *inputs, *outputs, or_zeros(executor));
}

heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                       const heed_partial_attention* parts, size_t part_count, heed_tensor output, float* log_sum_exp) {
  if (parts == nullptr && part_count != 0) return heed::Status::null_pointer;
  return heed::merge(batch, heads, queries, value_dim, {parts, part_count}, output, log_sum_exp);
}
