// SPDX-License-Identifier: MIT
#include "tensors/block_reader.hpp"

#include <array>
#include <string>
#include <vector>

namespace heed::tools {

namespace {

/// Of queries, keys and values; empty ones are zeros.
using ProjectionBiases = std::array<std::vector<float>, 3>;

ProjectionBiases take_biases(WeightPlacer& weights, const std::string& prefix, std::uint32_t block,
                             const MultiHeadPlan& plan) {
  const LinearPlan* const parts[] = {&plan.query, &plan.key, &plan.value};
  if (!weights.has(prefix + "qkv_bias", block)) {
    return {weights.take_bias(prefix + "query_bias", block, plan.query),
            weights.take_bias(prefix + "key_bias", block, plan.key),
            weights.take_bias(prefix + "value_bias", block, plan.value)};
  }
  const Shape rows{std::size_t{plan.query.outputs} + plan.key.outputs + plan.value.outputs};
  const std::vector<float> all = weights.tensors().take(prefix + "qkv_bias", block, rows, DataType::float32);
  ProjectionBiases biases;
  auto from = all.begin();
  for (std::size_t i = 0; i < biases.size() && !all.empty(); ++i) {
    biases[i].assign(from, from + parts[i]->outputs);
    from += parts[i]->outputs;
  }
  return biases;
}

void put_attention(WeightPlacer& weights, const std::string& prefix, std::uint32_t block, const MultiHeadPlan& plan,
                   std::size_t base) {
  const LinearPlan* const parts[] = {&plan.query, &plan.key, &plan.value};
  const char* const roles[] = {"query", "key", "value"};
  const ProjectionBiases biases = take_biases(weights, prefix, block, plan);
  const bool fused = plan.key.inputs == plan.query.inputs && weights.has(prefix + "qkv", block);
  if (fused) {
    const std::size_t rows = std::size_t{plan.query.outputs} + plan.key.outputs + plan.value.outputs;
    const MatrixNumbers all =
        weights.tensors().take_matrix(prefix + "qkv", block, {rows, plan.query.inputs}, plan.query);
    std::size_t first = 0;
    for (std::size_t i = 0; i < biases.size(); ++i) {
      weights.put_rows(*parts[i], base, all, first, biases[i]);
      first += parts[i]->outputs;
    }
  } else {
    for (std::size_t i = 0; i < biases.size(); ++i) {
      weights.put_matrix(prefix + roles[i], block, *parts[i], base, biases[i]);
    }
  }
  weights.put_matrix(prefix + "output", block, plan.output, base);
}

void put_gate_and_up(WeightPlacer& weights, const BlockPlan& plan, std::uint32_t block, std::size_t base) {
  const LinearPlan& gate = plan.mlp.gate;
  const LinearPlan& up = plan.mlp.up;
  if (!plan.config.gated || !weights.has("gate_up", block)) {
    if (plan.config.gated) weights.put_matrix("gate", block, gate, base);
    weights.put_matrix("up", block, up, base);
    return;
  }
  const std::vector<float> gate_bias = weights.take_bias("gate_bias", block, gate);
  const std::vector<float> up_bias = weights.take_bias("up_bias", block, up);
  const MatrixNumbers both =
      weights.tensors().take_matrix("gate_up", block, {std::size_t{gate.outputs} * 2, gate.inputs}, gate);
  weights.put_rows(gate, base, both, 0, gate_bias);
  weights.put_rows(up, base, both, gate.outputs, up_bias);
}

}  // namespace

void put_block(WeightPlacer& weights, const BlockPlan& plan, std::uint32_t block, std::size_t base) {
  weights.put_norm("attention_norm", block, plan.attention_norm, base);
  put_attention(weights, "", block, plan.attention, base + plan.attention_weights.offset);
  if (plan.config.cross_dim != 0) {
    weights.put_norm("cross_norm", block, plan.cross_norm, base);
    put_attention(weights, "cross_", block, plan.cross, base + plan.cross_weights.offset);
  }
  if (plan.config.qk_norm != QkNorm::none) {
    weights.put_norm("query_norm", block, plan.query_norm, base, plan.config.head_dim);
    weights.put_norm("key_norm", block, plan.key_norm, base, plan.config.head_dim);
  }
  weights.put_norm("mlp_norm", block, plan.mlp_norm, base);
  if (plan.config.norm_placement == NormPlacement::both) {
    weights.put_norm("attention_output_norm", block, plan.attention_output_norm, base);
    weights.put_norm("mlp_output_norm", block, plan.mlp_output_norm, base);
  }
  put_gate_and_up(weights, plan, block, base);
  weights.put_matrix("down", block, plan.mlp.down, base);
}

}  // namespace heed::tools
