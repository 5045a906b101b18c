// SPDX-License-Identifier: MIT
//
// A model that may be an extended one.
#include "heed/model.hpp"

extern "C" heed::Status probe(const heed::ModelPlan& plan, std::byte* state, std::byte* scratch, const std::byte* file,
                              heed::Model& model, std::uint32_t token, float* logits) {
  const heed::PackedModel packed(std::span(file, plan.file.bytes), {}, &heed::extended_model);
  const heed::Status status = model.init(plan, {state, plan.state_bytes}, {scratch, plan.scratch_bytes}, packed);
  return status != heed::Status::ok ? status : model.decode(token, logits);
}
