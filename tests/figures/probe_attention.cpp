// SPDX-License-Identifier: MIT
#include "heed/attention.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              const heed::AttentionOutputs& outputs) {
  return heed::attend(plan, {arena, plan.bytes}, inputs, outputs);
}
