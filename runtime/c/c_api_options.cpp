// SPDX-License-Identifier: MIT
//
// The C interface of attention with options, and of numbers for biases.
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

heed_status heed_alibi_slopes(uint32_t heads, float* slopes, size_t slope_count) {
  return heed::alibi_slopes(heads, {slopes, slope_count});
}

heed_status heed_plan_relative_buckets(const heed_relative_buckets_config* config, heed_relative_buckets_plan* plan) {
  return heed::detail::write_plan(config, plan);
}

uint32_t heed_relative_bucket(const heed_relative_buckets_plan* plan, int32_t relative_position) {
  return plan == nullptr ? 0 : heed::relative_bucket(*plan, relative_position);
}

heed_status heed_expand_relative_bias(const heed_relative_buckets_plan* plan, const float* embedding,
                                      size_t embedding_elements, uint32_t heads, float* values, size_t value_count,
                                      heed_relative_bias* bias) {
  if (plan == nullptr || bias == nullptr) return Status::null_pointer;
  return heed::expand_relative_bias(*plan, {embedding, embedding_elements}, heads, {values, value_count}, *bias);
}
