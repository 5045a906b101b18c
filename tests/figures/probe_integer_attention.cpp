// SPDX-License-Identifier: MIT
//
// What attention in integers takes where all that can be known of a call is: its plan is a constant.
#include "heed/attention.hpp"
#include "heed/cache.hpp"

namespace {

constexpr heed::AttentionPlan plan = heed::plan(heed::AttentionConfig{
    .heads = 4, .kv_heads = 2, .head_dim = 16, .max_keys = 128, .scratch_budget = 4096, .integers = 1});
constexpr heed::KvCachePlan cache_plan = heed::plan(heed::KvCacheConfig{.kv_heads = 2,
                                                                        .head_dim = 16,
                                                                        .max_keys = 128,
                                                                        .key_type = heed::DataType::int8_integer,
                                                                        .value_type = heed::DataType::int8_integer});

}  // namespace

extern "C" heed::Status probe(std::byte* arena, const heed::AttentionInputs& inputs, float* output,
                              heed::KvCache& cache, std::byte* memory) {
  heed::Status status = cache.init(cache_plan, {memory, cache_plan.bytes}, {.formats = {&heed::int8_integer_cache}});
  if (status == heed::Status::ok) status = cache.append(0, 1, inputs.key, inputs.value);
  if (status != heed::Status::ok) return status;
  return heed::attend(plan, {arena, plan.bytes}, inputs, {.output = heed::bhsd(output, 4, 1, 16)});
}
