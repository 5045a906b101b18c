// SPDX-License-Identifier: MIT
//
// What the products of a model's blocks read while it runs.
#pragma once

#include <string>
#include <vector>

#include "tensors/error_compensation.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_inputs.hpp"

namespace heed::tools {

/// Of one block, the moments of the rows that are multiplied.
struct BlockMoments {
  InputMoments read;      ///< by query, key and value
  InputMoments attended;  ///< by the output projection
  InputMoments mlp_read;  ///< by gate and up
  InputMoments hidden;    ///< by down
};

/// Runs a decoder of tokens, without cross-attention and in float32, on every entry of the inputs; one BlockMoments for
/// each block. A Failure begins with the name of the inputs' option: the inputs are refused, or a row that is
/// multiplied is NaN or infinite.
[[nodiscard]] std::vector<BlockMoments> product_moments(LoadedModel& model, const std::string& option,
                                                        const ModelInputs& inputs);

}  // namespace heed::tools
