// SPDX-License-Identifier: MIT
#include "heed/kv_cache.hpp"

#include "heed/options.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              heed::KvCache& cache, const heed::AttentionOutputs& outputs) {
  const heed::Status status = cache.append(0, 1, inputs.key, inputs.value);
  if (status != heed::Status::ok) return status;
  return heed::attend(plan, {arena, plan.bytes}, inputs, heed::KvCacheView{.cache = &cache}, {}, outputs);
}
