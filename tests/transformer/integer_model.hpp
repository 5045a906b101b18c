// SPDX-License-Identifier: MIT
//
// Configurations whose products are in integers.
#pragma once

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

}  // namespace heed::test
