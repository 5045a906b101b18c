// SPDX-License-Identifier: MIT
//
// The floats that a model file stands for.
#pragma once

#include <deque>
#include <vector>

#include "transformer/built_model.hpp"

namespace heed::test {

/// What multiplies rows of a type by weights of a type; null for float32.
[[nodiscard]] inline const Format* format_of(DataType type, DataType row_type) {
  if (row_type == DataType::float32) {
    return type == DataType::float32 ? nullptr : all_formats[static_cast<std::size_t>(type) - 1];
  }
  if (type == DataType::int8) return &int8_integer_weights;
  return type == DataType::int8_multipliers ? &int8_multiplier_weights : &int4_multiplier_weights;
}

/// Weights like others, but with the matrices of a model file, dequantized.
class DequantizedWeights {
 public:
  ModelWeights ends;
  std::vector<BlockWeights> blocks;

  DequantizedWeights(const ModelConfig& config, const ModelWeights& other_ends, const std::vector<BlockWeights>& others,
                     std::span<const std::byte> file)
      : ends(other_ends), blocks(others) {
    ModelPlan plan;
    EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
    ends.input = dequantized(plan.file.input, file);
    if (config.input == ModelInput::convolutions) ends.second_input = dequantized(plan.file.second_input, file);
    if (config.pooler != Pooler::none) ends.pooler = dequantized(plan.file.pooler, file);
    if (config.outputs != 0 && !config.tied_head) ends.head = dequantized(plan.file.head, file);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto packed = file.subspan(plan.file.block_weights.offset + i * plan.block.weights_bytes);
      dequantize_attention(plan.block.attention, packed.subspan(plan.block.attention_weights.offset),
                           blocks[i].attention);
      if (config.block.cross_dim != 0) {
        dequantize_attention(plan.block.cross, packed.subspan(plan.block.cross_weights.offset), blocks[i].cross);
      }
      if (config.block.gated) blocks[i].gate = dequantized(plan.block.mlp.gate, packed);
      blocks[i].up = dequantized(plan.block.mlp.up, packed);
      blocks[i].down = dequantized(plan.block.mlp.down, packed);
    }
  }

 private:
  const float* dequantized(const LinearPlan& plan, std::span<const std::byte> packed) {
    const Format* const format = format_of(plan.type, plan.row_type);
    std::vector<float>& floats = kept_.emplace_back(std::size_t{plan.inputs} * plan.outputs);
    EXPECT_EQ(unpack_linear(plan, {packed, format}, floats.data()), Status::ok);
    return floats.data();
  }

  void dequantize_attention(const MultiHeadPlan& plan, std::span<const std::byte> packed, MultiHeadWeights& weights) {
    weights.query = dequantized(plan.query, packed);
    weights.key = dequantized(plan.key, packed);
    weights.value = dequantized(plan.value, packed);
    weights.output = dequantized(plan.output, packed);
  }

  std::deque<std::vector<float>> kept_;
};

/// The same model with float32 weights.
[[nodiscard]] inline ModelConfig with_floats(ModelConfig config) {
  BlockConfig& block = config.block;
  block.weight_type = config.input_type = config.head_type = DataType::float32;
  block.row_type = block.output_row_type = block.mlp_row_type = block.down_row_type = DataType::float32;
  config.input_row_type = config.head_row_type = DataType::float32;
  return config;
}

}  // namespace heed::test
