// SPDX-License-Identifier: MIT
#include "heed/options.hpp"
#include "heed/stored_cache.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              heed::StoredCache& cache, const heed::AttentionOutputs& outputs) {
  const heed::Status status = cache.append(0, 1, inputs.key, inputs.value);
  if (status != heed::Status::ok) return status;
  return heed::attend(plan, {arena, plan.bytes}, inputs, heed::StoredKeyView{.cache = &cache}, {}, outputs);
}
