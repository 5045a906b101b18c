// SPDX-License-Identifier: MIT
//
// The C interface of numbers for biases.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"

using heed::Status;

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
