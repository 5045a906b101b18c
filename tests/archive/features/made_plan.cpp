// SPDX-License-Identifier: MIT
//
// A model whose plan is made when it runs.
#include "heed/model.hpp"

extern "C" heed::Status probe(const heed::ModelConfig& config, heed::ModelPlan& plan, std::byte* state,
                              std::byte* scratch, const std::byte* file, heed::Model& model, std::uint32_t token,
                              float* logits) {
  heed::Status status = heed::make_plan(config, {.max_keys = 8}, plan);
  if (status != heed::Status::ok) return status;
  status = model.init(plan, {state, plan.state_bytes}, {scratch, plan.scratch_bytes}, std::span(file, plan.file.bytes));
  return status != heed::Status::ok ? status : model.decode(token, logits);
}
