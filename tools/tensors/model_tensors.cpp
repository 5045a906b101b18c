// SPDX-License-Identifier: MIT
#include "tensors/model_tensors.hpp"

#include <initializer_list>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"

namespace heed::tools {

namespace {

/// A type of weights, and of the rows that meet them.
void set_product_types(DataType& type, std::initializer_list<DataType*> row_types, const StoredTypes& types) {
  if (types.weights) type = *types.weights;
  if (!types.rows) return;
  for (DataType* const row_type : row_types) *row_type = *types.rows;
  if (*types.rows != DataType::float32 && !types.weights && !is_integer_row_type(type)) type = DataType::int8;
}

}  // namespace

void set_types(ModelConfig& config, const StoredTypes& types) {
  BlockConfig& block = config.block;
  set_product_types(block.weight_type,
                    {&block.row_type, &block.output_row_type, &block.mlp_row_type, &block.down_row_type}, types);
  if (config.tied_head) {
    set_product_types(config.input_type, {&config.head_row_type}, types);
    return;
  }
  if (config.outputs != 0) set_product_types(config.head_type, {&config.head_row_type}, types);
  if (config.input != ModelInput::tokens) {
    set_product_types(config.input_type, {&config.input_row_type}, types);
    return;
  }
  // Rows of a table are not multiplied.
  DataType unused = DataType::float32;
  set_product_types(config.input_type, {&unused}, types);
  if (config.input_type == DataType::int8_multipliers) config.input_type = DataType::int8_groups;
  if (config.input_type == DataType::int4_multipliers) config.input_type = DataType::int4_groups;
}

std::vector<RowKind> row_kinds(ModelConfig& config) {
  BlockConfig& block = config.block;
  std::vector<RowKind> kinds{{"query, key and value", &block.row_type, block.weight_type},
                             {"output", &block.output_row_type, block.weight_type},
                             {block.gated ? "gate and up" : "up", &block.mlp_row_type, block.weight_type},
                             {"down", &block.down_row_type, block.weight_type}};
  if (config.input != ModelInput::tokens) {
    kinds.insert(kinds.begin(), {"input", &config.input_row_type, config.input_type});
  }
  if (config.outputs != 0) {
    kinds.push_back({"head", &config.head_row_type, config.tied_head ? config.input_type : config.head_type});
  }
  return kinds;
}

std::string describe_rows(const ModelConfig& config) {
  ModelConfig named = config;
  std::string text;
  for (const RowKind& kind : row_kinds(named)) {
    if (*kind.rows == DataType::float32) continue;
    text += (text.empty() ? "rows in integers: " : ", ") + std::string(kind.name) + ' ' + to_word(*kind.rows) + " by " +
            to_word(kind.weights);
  }
  return text;
}

ModelPlan file_plan(const ModelConfig& config, const std::string& what) {
  return planned<ModelPlan>(what, config, BlockMemory{.rows = 1, .max_keys = 1, .max_cross_keys = 1});
}

AlignedBytes pack(const ModelTensors& tensors, const std::string& what) {
  const ModelPlan plan = file_plan(tensors.config, what);
  ModelWriter writer(plan, what);
  tensors.write(plan, writer);
  return writer.finish();
}

}  // namespace heed::tools
