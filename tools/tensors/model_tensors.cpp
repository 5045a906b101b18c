// SPDX-License-Identifier: MIT
#include "tensors/model_tensors.hpp"

#include <algorithm>
#include <initializer_list>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"
#include "support/progress.hpp"

namespace heed::tools {

namespace {

[[nodiscard]] bool any_integers(std::initializer_list<DataType> rows) {
  return std::any_of(rows.begin(), rows.end(), [](DataType type) { return type != DataType::float32; });
}

void set_rows(ModelConfig& config, const StoredTypes& types) {
  std::map<std::string, DataType> named = types.named_rows;
  for (const RowKind& kind : row_kinds(config)) {
    const auto found = named.find(kind.word);
    *kind.rows = found != named.end() ? found->second : *types.rows;
    if (found != named.end()) named.erase(found);
  }
  if (!named.empty()) throw Failure("--activations: " + named.begin()->first + ": the model has no such product");
}

}  // namespace

void set_types(ModelConfig& config, const StoredTypes& types) {
  if (types.rows) set_rows(config, types);
  const auto set_weights = [&types](DataType& type, std::initializer_list<DataType> rows) {
    const bool converted = types.rows && any_integers(rows) && !is_integer_row_type(type);
    if (types.weights || converted) type = types.weights.value_or(DataType::int8);
  };
  BlockConfig& block = config.block;
  set_weights(block.weight_type, {block.row_type, block.output_row_type, block.mlp_row_type, block.down_row_type});
  if (config.tied_head) {
    set_weights(config.input_type, {config.head_row_type});
    return;
  }
  if (config.outputs != 0) set_weights(config.head_type, {config.head_row_type});
  if (config.input == ModelInput::none) return;
  if (config.input != ModelInput::tokens) {
    set_weights(config.input_type, {config.input_row_type});
    return;
  }
  // Rows of a table are not multiplied.
  set_weights(config.input_type, {types.rows.value_or(DataType::float32)});
  if (config.input_type == DataType::int8_multipliers) config.input_type = DataType::int8_groups;
  if (config.input_type == DataType::int4_multipliers) config.input_type = DataType::int4_groups;
}

std::vector<RowKind> row_kinds(ModelConfig& config) {
  BlockConfig& block = config.block;
  std::vector<RowKind> kinds{{"query", "query, key and value", &block.row_type, block.weight_type},
                             {"output", "output", &block.output_row_type, block.weight_type},
                             {"mlp", block.gated ? "gate and up" : "up", &block.mlp_row_type, block.weight_type},
                             {"down", "down", &block.down_row_type, block.weight_type}};
  if (config.input != ModelInput::tokens && config.input != ModelInput::none) {
    kinds.insert(kinds.begin(), {"input", "input", &config.input_row_type, config.input_type});
  }
  if (config.outputs != 0) {
    const DataType weights = config.tied_head ? config.input_type : config.head_type;
    kinds.push_back({"head", "head", &config.head_row_type, weights});
  }
  return kinds;
}

std::string describe_rows(const ModelConfig& config) {
  ModelConfig named = config;
  std::string integers;
  std::string floats;
  for (const RowKind& kind : row_kinds(named)) {
    const bool rounded = *kind.rows != DataType::float32;
    std::string& text = rounded ? integers : floats;
    text += (text.empty() ? "" : ", ") + std::string(kind.name) + (rounded ? ' ' + to_word(*kind.rows) : "") + " by " +
            to_word(kind.weights);
  }
  if (integers.empty()) return {};
  return "rows in integers: " + integers + (floats.empty() ? "" : "; rows in float32: " + floats);
}

ModelPlan file_plan(const ModelConfig& config, const std::string& what) {
  return planned<ModelPlan>(what, config, BlockMemory{.rows = 1, .max_keys = 1, .max_cross_keys = 1});
}

AlignedBytes pack(const ModelTensors& tensors, const std::string& what) {
  const ModelPlan plan = file_plan(tensors.config, what);
  ModelWriter writer(plan, what);
  next_pass();
  tensors.write(plan, writer);
  return writer.finish();
}

}  // namespace heed::tools
