// SPDX-License-Identifier: MIT
#include "heed/options.hpp"

extern "C" heed::Status probe(const heed::AttentionPlan& plan, std::byte* arena, const heed::AttentionInputs& inputs,
                              const heed::AttentionOptions& options, const heed::AttentionOutputs& outputs) {
  return heed::attend(plan, {arena, plan.bytes}, inputs, options, outputs);
}
