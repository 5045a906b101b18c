// SPDX-License-Identifier: MIT
//
// Attention over a cache that names HEED_STORAGE.
#include "heed/cache.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              const heed::KvCachePlan& cache_plan, std::byte* memory, heed::KvCache& cache,
                              const heed::AttentionOutputs& outputs) {
  heed::Status status = cache.init(cache_plan, {memory, cache_plan.bytes}, {HEED_STORAGE});
  if (status == heed::Status::ok) status = cache.append(0, 1, inputs.key, inputs.value);
  return status != heed::Status::ok ? status : heed::attend(plan, {arena, plan.bytes}, inputs, outputs);
}
