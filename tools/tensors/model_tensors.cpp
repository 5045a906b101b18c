// SPDX-License-Identifier: MIT
#include "tensors/model_tensors.hpp"

#include <initializer_list>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

/// A type of weights, and of the rows that meet them.
void set_types(DataType& type, std::initializer_list<DataType*> row_types, const StoredTypes& types) {
  if (types.weights) type = *types.weights;
  if (!types.rows) return;
  for (DataType* const row_type : row_types) *row_type = *types.rows;
  if (*types.rows != DataType::float32 && !types.weights && !is_integer_row_type(type)) type = DataType::int8;
}

}  // namespace

void set_types(ModelConfig& config, const StoredTypes& types) {
  BlockConfig& block = config.block;
  set_types(block.weight_type, {&block.row_type, &block.output_row_type, &block.mlp_row_type, &block.down_row_type},
            types);
  if (config.tied_head) {
    set_types(config.input_type, {&config.head_row_type}, types);
    return;
  }
  if (config.outputs != 0) set_types(config.head_type, {&config.head_row_type}, types);
  if (config.input == ModelInput::frames) {
    set_types(config.input_type, {&config.input_row_type}, types);
    return;
  }
  // Rows of a table are not multiplied.
  DataType unused = DataType::float32;
  set_types(config.input_type, {&unused}, types);
  if (config.input_type == DataType::int8_multipliers) config.input_type = DataType::int8_groups;
  if (config.input_type == DataType::int4_multipliers) config.input_type = DataType::int4_groups;
}

std::string describe_rows(const ModelConfig& config) {
  const BlockConfig& block = config.block;
  std::string text;
  const auto add = [&](const char* name, DataType row_type, DataType weights) {
    if (row_type == DataType::float32) return;
    text += (text.empty() ? "rows in integers: " : ", ") + std::string(name) + ' ' + to_word(row_type) + " by " +
            to_word(weights);
  };
  const bool frames = config.input == ModelInput::frames;
  if (frames) add("input", config.input_row_type, config.input_type);
  add("query, key and value", block.row_type, block.weight_type);
  add("output", block.output_row_type, block.weight_type);
  add(block.gated ? "gate and up" : "up", block.mlp_row_type, block.weight_type);
  add("down", block.down_row_type, block.weight_type);
  if (config.outputs != 0) {
    add("head", config.head_row_type, config.tied_head ? config.input_type : config.head_type);
  }
  return text;
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
