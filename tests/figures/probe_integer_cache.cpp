// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"
#include "heed/cache.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              const heed::AttentionOutputs& outputs, heed::KvCache& cache,
                              const heed::KvCachePlan& cache_plan, std::byte* memory) {
  heed::Status status = cache.init(cache_plan, {memory, cache_plan.bytes}, {.formats = {&heed::int8_integer_cache}});
  if (status == heed::Status::ok) status = cache.append(0, 1, inputs.key, inputs.value);
  return status != heed::Status::ok ? status : heed::attend(plan, {arena, plan.bytes}, inputs, outputs);
}
