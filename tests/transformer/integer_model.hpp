// SPDX-License-Identifier: MIT
//
// Configurations whose products are in integers.
#pragma once

#include "support/random.hpp"
#include "transformer/built_model.hpp"
#include "transformer/dequantized_model.hpp"

namespace heed::test {

struct IntegerTypes {
  DataType weights;
  DataType rows;       ///< of query, key and value, of gate and up, of frames and of the head
  DataType down_rows;  ///< of down and of the attention's output
};

inline constexpr IntegerTypes all_integer_types[] = {
    {DataType::int8, DataType::int8, DataType::int16},
    {DataType::int8, DataType::int16, DataType::int16},
    {DataType::int8_multipliers, DataType::int16, DataType::int8},
    {DataType::int8_multipliers, DataType::int8, DataType::int8},
    {DataType::int4_multipliers, DataType::int8, DataType::int16},
    {DataType::int4_multipliers, DataType::int16, DataType::int16},
};

/// Every matrix with rows of integers, but the embedding table of a head that is not tied.
[[nodiscard]] inline ModelConfig with_integers(ModelConfig config, const IntegerTypes& types) {
  BlockConfig& block = config.block;
  block.weight_type = types.weights;
  block.row_type = block.mlp_row_type = types.rows;
  block.output_row_type = block.down_row_type = types.down_rows;
  const bool tokens = config.input == ModelInput::tokens;
  if (!tokens || config.tied_head) config.input_type = types.weights;
  if (!tokens) config.input_row_type = types.rows;
  if (config.outputs != 0) {
    config.head_type = types.weights;
    config.head_row_type = types.rows;
  }
  return config;
}

/// An encoder's outputs of four frames, or those of a decoder's twelve tokens, `split` at a time: room for `rows` of
/// them.
inline std::vector<float> run_in_parts(AlignedMemory& file, const BlockMemory& memory, std::uint32_t split,
                                       std::size_t rows, const Executor& executor) {
  BuiltModel built(file.span(), memory);
  const ModelConfig& config = built.plan.config;
  std::vector<float> output(rows * config.outputs);
  if (config.encoder) {
    Random random(5);
    const std::vector<float> frames = random.normals(std::size_t{4} * config.input_dim);
    EXPECT_EQ(built.model.encode(dense(frames.data(), 4, config.input_dim), 4, output.data(), executor), Status::ok);
    return output;
  }
  const std::vector<std::uint32_t> tokens{1, 18, 0, 7, 7, 3, 11, 2, 5, 16, 9, 4};
  for (std::uint32_t first = 0; first < 12; first += split) {
    const std::uint32_t count = std::min(split, 12 - first);
    EXPECT_EQ(built.model.prefill(std::span(tokens).subspan(first, count), output.data(), executor), Status::ok);
  }
  return output;
}

}  // namespace heed::test
