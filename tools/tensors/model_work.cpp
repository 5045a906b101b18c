// SPDX-License-Identifier: MIT
#include "tensors/model_work.hpp"

#include <algorithm>
#include <initializer_list>

namespace heed::tools {

namespace {

/// A linear layer that a model does not have has no products.
void add(Work& work, const LinearPlan& plan, double rows) {
  const double count = static_cast<double>(plan.inputs) * plan.outputs * rows;
  if (count == 0.0) return;
  const DataType weights = plan.row_type == DataType::float32 ? DataType::float32 : plan.type;
  const auto same = [&](const Products& one) { return one.weights == weights && one.rows == plan.row_type; };
  const auto found = std::find_if(work.begin(), work.end(), same);
  if (found != work.end()) {
    found->count += count;
  } else {
    work.push_back({weights, plan.row_type, count});
  }
}

double stored(const LinearPlan& plan) {
  return static_cast<double>(plan.weights.bytes) + plan.scales.bytes + plan.bias.bytes;
}

}  // namespace

Work prompt_work(const ModelPlan& plan, std::uint32_t count) {
  const ModelConfig& config = plan.config;
  const BlockPlan& block = plan.block;
  const auto rows = static_cast<double>(config.encoder ? detail::encoder_rows(config, count) : count);
  Work work;
  for (const LinearPlan* const linear :
       {&block.attention.query, &block.attention.key, &block.attention.value, &block.attention.output,
        &block.cross.query, &block.cross.output, &block.mlp.gate, &block.mlp.up, &block.mlp.down}) {
    add(work, *linear, rows * config.blocks);
  }
  if (config.input != ModelInput::tokens) {
    add(work, plan.file.input, count);
    add(work, plan.file.second_input, rows);
  }
  if (config.outputs != 0) add(work, plan.file.head, config.pooling == Pooling::every ? rows : 1);
  return work;
}

Work context_work(const ModelPlan& plan, std::uint32_t count) {
  Work work;
  const double rows = static_cast<double>(count) * plan.config.blocks;
  add(work, plan.block.cross.key, rows);
  add(work, plan.block.cross.value, rows);
  return work;
}

double token_bytes(const ModelPlan& plan) {
  const double context = stored(plan.block.cross.key) + stored(plan.block.cross.value);
  const double blocks = (plan.block.weights_bytes - context) * plan.config.blocks;
  return plan.config.outputs == 0 ? blocks : blocks + stored(plan.file.head);
}

}  // namespace heed::tools
