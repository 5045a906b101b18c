// SPDX-License-Identifier: MIT
//
// A model whose plan is a constant; its positions are HEED_STORAGE.
#include "heed/model.hpp"

namespace {

constexpr heed::BlockConfig block{.model_dim = 32, .heads = 2};
constexpr heed::ModelConfig config{.block = block, .blocks = 1, .input_dim = 16, .max_positions = 8, HEED_STORAGE};
constexpr heed::ModelPlan plan = heed::plan(config, {.max_keys = 8});

}  // namespace

extern "C" heed::Status probe(std::byte* state, std::byte* scratch, const std::byte* file, heed::Model& model,
                              std::uint32_t token, float* logits) {
  const heed::Status status =
      model.init(plan, {state, plan.state_bytes}, {scratch, plan.scratch_bytes}, std::span(file, plan.file.bytes));
  return status != heed::Status::ok ? status : model.decode(token, logits);
}
