// SPDX-License-Identifier: MIT
//
// The C interface of numbers for biases, by the rules of c_api_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_options.hpp"
#include "heed/biases.hpp"
#include "heed/heed_biases.h"

namespace {

using heed::RelativeBucketsConfig;
using heed::RelativeBucketsPlan;
using heed::detail::answer;
using heed::detail::in_place;
using heed::detail::same_size;

static_assert(same_size<heed_relative_buckets_config, RelativeBucketsConfig>);
HEED_SAME_MEMBER(heed_relative_buckets_config, RelativeBucketsConfig, num_buckets);
HEED_SAME_MEMBER(heed_relative_buckets_config, RelativeBucketsConfig, max_distance);
HEED_SAME_MEMBER(heed_relative_buckets_config, RelativeBucketsConfig, directions);

static_assert(same_size<heed_relative_buckets_plan, RelativeBucketsPlan>);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, config);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, per_direction);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, exact);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, left);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, right);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, columns);
HEED_SAME_MEMBER(heed_relative_buckets_plan, RelativeBucketsPlan, limits);

static_assert(HEED_RELATIVE_BIDIRECTIONAL == static_cast<int>(RelativeBucketsConfig::Directions::bidirectional));
static_assert(HEED_RELATIVE_CAUSAL == static_cast<int>(RelativeBucketsConfig::Directions::causal));

}  // namespace

heed_status heed_alibi_slopes(uint32_t heads, float* slopes, size_t slope_count) {
  return answer(heed::alibi_slopes(heads, {slopes, slope_count}));
}

heed_status heed_plan_relative_buckets(const heed_relative_buckets_config* config, heed_relative_buckets_plan* plan) {
  return heed::detail::write_plan<RelativeBucketsPlan>(config, plan);
}

uint32_t heed_relative_bucket(const heed_relative_buckets_plan* plan, int32_t relative_position) {
  if (plan == nullptr) return 0;
  return heed::relative_bucket(in_place<RelativeBucketsPlan>(*plan), relative_position);
}

heed_status heed_expand_relative_bias(const heed_relative_buckets_plan* plan, const float* embedding,
                                      size_t embedding_elements, uint32_t heads, float* values, size_t value_count,
                                      heed_relative_bias* bias) {
  if (plan == nullptr || bias == nullptr) return HEED_NULL_POINTER;
  return answer(heed::expand_relative_bias(in_place<RelativeBucketsPlan>(*plan), {embedding, embedding_elements}, heads,
                                           {values, value_count}, in_place<heed::RelativeBias>(*bias)));
}
