// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"
#include "heed/cache.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              const heed::AttentionOutputs& outputs, heed::KvCache& cache) {
  const heed::Status status = cache.append(0, 1, inputs.key, inputs.value);
  return status != heed::Status::ok ? status : heed::attend(plan, {arena, plan.bytes}, inputs, outputs);
}
