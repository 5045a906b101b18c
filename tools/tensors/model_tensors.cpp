// SPDX-License-Identifier: MIT
#include "tensors/model_tensors.hpp"

#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

void set_weight_type(ModelConfig& config, DataType type) {
  config.block.weight_type = config.input_type = config.head_type = type;
}

ModelPlan file_plan(const ModelConfig& config, const std::string& what) {
  return planned<ModelPlan>(what, config, BlockMemory{.rows = 1, .max_keys = 1, .max_cross_keys = 1});
}

AlignedBytes pack(const ModelTensors& tensors, const std::string& what) {
  const ModelPlan plan = file_plan(tensors.config, what);
  AlignedBytes file(plan.file.bytes);
  require_ok(pack_model(plan, tensors.ends, tensors.blocks, file.span()), what);
  return file;
}

}  // namespace heed::tools
