// SPDX-License-Identifier: MIT
#include "commands/model_report.hpp"

#include <utility>

#include "support/data_types.hpp"

namespace heed::tools {

namespace {

/// Collects the tensors of a file, or of the part of it that begins `base` bytes after its start.
struct Parts {
  std::span<const std::byte> file;
  std::vector<ModelPart> parts{};
  std::size_t base = 0;

  void add_table(const std::string& where, const Region& region, std::vector<std::uint32_t> shape) {
    if (region.bytes == 0) return;
    std::uint64_t parameters = 1;
    for (const std::uint32_t size : shape) parameters *= size;
    parts.push_back({where, to_string(region.name), "float32", std::move(shape), parameters, region.bytes});
  }

  void add_bias(const std::string& where, const Region& region, std::uint32_t size) {
    if (region.bytes == 0) return;
    add_table(where, region, {size});
    for (const std::byte byte : file.subspan(base + region.offset, region.bytes)) {
      if (byte != std::byte{0}) return;
    }
    parts.back().type = "zeros";
    parts.back().parameters = 0;
  }

  /// A matrix with its scales, and its bias.
  void add_linear(const std::string& where, const LinearPlan& plan) {
    if (plan.weights.bytes == 0) return;
    add_table(where, plan.weights, {plan.outputs, plan.inputs});
    parts.back().type = to_word(plan.type);
    parts.back().bytes += plan.scales.bytes;
    add_bias(where, plan.bias, plan.outputs);
  }

  void add_norm(const std::string& where, const NormPlan& plan, std::uint32_t dim) {
    add_table(where, plan.weight, {dim});
    add_bias(where, plan.bias, dim);
  }

  void add_attention(const std::string& where, const MultiHeadPlan& layer, const Region& region) {
    base += region.offset;
    for (const LinearPlan* linear : {&layer.query, &layer.key, &layer.value, &layer.output}) {
      add_linear(where, *linear);
    }
    base -= region.offset;
  }

  void add_block(const BlockPlan& plan, const std::string& block, std::size_t first_byte) {
    base = first_byte;
    const std::uint32_t dim = plan.config.model_dim;
    add_norm(block + " attention norm", plan.attention_norm, dim);
    add_attention(block + " attention", plan.attention, plan.attention_weights);
    if (plan.config.cross_dim != 0) {
      add_norm(block + " cross-attention norm", plan.cross_norm, dim);
      add_attention(block + " cross-attention", plan.cross, plan.cross_weights);
    }
    add_norm(block + " query norm", plan.query_norm, plan.config.head_dim);
    add_norm(block + " key norm", plan.key_norm, plan.config.head_dim);
    add_norm(block + " attention output norm", plan.attention_output_norm, dim);
    add_norm(block + " MLP norm", plan.mlp_norm, dim);
    for (const LinearPlan* linear : {&plan.mlp.gate, &plan.mlp.up, &plan.mlp.down}) {
      add_linear(block + " MLP", *linear);
    }
    add_norm(block + " MLP output norm", plan.mlp_output_norm, dim);
    base = 0;
  }
};

PlanNode describe_block_weights(const ModelPlan& plan) {
  const BlockPlan& block = plan.block;
  const MlpPlan& mlp = block.mlp;
  const std::uint32_t base = plan.file.block_weights.offset;
  return {"weights of a block", base, block.weights_bytes, plan.config.blocks,
          region_nodes({block.attention_norm.weight,
                        block.attention_norm.bias,
                        block.attention_weights,
                        block.cross_norm.weight,
                        block.cross_norm.bias,
                        block.cross_weights,
                        block.mlp_norm.weight,
                        block.mlp_norm.bias,
                        mlp.gate.weights,
                        mlp.gate.scales,
                        mlp.gate.bias,
                        mlp.up.weights,
                        mlp.up.scales,
                        mlp.up.bias,
                        mlp.down.weights,
                        mlp.down.scales,
                        mlp.down.bias,
                        block.query_norm.weight,
                        block.query_norm.bias,
                        block.key_norm.weight,
                        block.key_norm.bias,
                        block.attention_output_norm.weight,
                        block.attention_output_norm.bias,
                        block.mlp_output_norm.weight,
                        block.mlp_output_norm.bias},
                       base)};
}

PlanNode describe_file(const ModelPlan& plan) {
  const ModelFilePlan& file = plan.file;
  PlanNode node{
      "model file", 0, file.bytes, 1,
      region_nodes({file.header, file.input.weights, file.input.scales, file.input.bias, file.second_input.weights,
                    file.second_input.scales, file.second_input.bias, file.class_token, file.positions, file.registers,
                    file.token_types, file.relative_bias, file.embedding_norm.weight, file.embedding_norm.bias})};
  node.children.push_back(describe_block_weights(plan));
  const LinearPlan head = !plan.config.tied_head && plan.config.outputs != 0 ? file.head : LinearPlan{};
  for (PlanNode& last : region_nodes({file.final_norm.weight, file.final_norm.bias, file.pooler.weights,
                                      file.pooler.scales, file.pooler.bias, head.weights, head.scales, head.bias})) {
    node.children.push_back(std::move(last));
  }
  return node;
}

}  // namespace

std::vector<ModelPart> parts_of(const MultiHeadPlan& plan, std::span<const std::byte> packed) {
  Parts parts{packed};
  parts.add_attention("attention", plan, {});
  return parts.parts;
}

std::vector<ModelPart> parts_of(const ModelPlan& plan, std::span<const std::byte> file) {
  const ModelConfig& config = plan.config;
  const std::uint32_t dim = config.block.model_dim;
  Parts parts{file};
  parts.add_linear(config.input == ModelInput::tokens ? "embedding" : "input", plan.file.input);
  if (config.input == ModelInput::tokens) parts.parts.back().shape = {config.input_dim, dim};
  parts.add_linear("second input", plan.file.second_input);
  parts.add_table("embedding", plan.file.class_token, {dim});
  parts.add_table("embedding", plan.file.positions, {config.max_positions, dim});
  parts.add_table("embedding", plan.file.registers, {config.registers, dim});
  parts.add_table("embedding", plan.file.token_types, {config.token_types, dim});
  parts.add_table("attention", plan.file.relative_bias,
                  {config.block.heads, detail::relative_columns(plan.file, config)});
  parts.add_norm("embedding norm", plan.file.embedding_norm, dim);
  for (std::uint32_t block = 0; block < config.blocks; ++block) {
    parts.add_block(plan.block, "block " + std::to_string(block),
                    plan.file.block_weights.offset + std::size_t{block} * plan.block.weights_bytes);
  }
  parts.add_norm("final norm", plan.file.final_norm, dim);
  parts.add_linear("pooler", plan.file.pooler);
  if (config.outputs != 0 && !config.tied_head) parts.add_linear("head", plan.file.head);
  return parts.parts;
}

std::vector<PlanNode> describe_memories(const ModelPlan& plan) {
  const BlockPlan& block = plan.block;
  const PlanNode caches{"caches of a block", 0, block.state_bytes, detail::block_states(plan.config),
                        region_nodes({block.attention_state, block.cross_state})};
  const std::uint32_t base = plan.block_scratch.offset;
  const std::uint32_t shared = block.branch.offset + block.branch.bytes;
  PlanNode scratch = region_node(plan.block_scratch);
  scratch.children = {region_node(block.branch, base),
                      {"attention, then hidden rows of the MLP", base + shared, plan.block_scratch.bytes - shared}};
  std::vector<PlanNode> parts{region_node(plan.rows), scratch};
  for (PlanNode& staging : region_nodes({plan.staging})) parts.push_back(std::move(staging));
  return {
      describe_file(plan), {"state", 0, plan.state_bytes, 1, {caches}}, {"scratch", 0, plan.scratch_bytes, 1, parts}};
}

}  // namespace heed::tools
