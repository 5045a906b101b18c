// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "tensors/model_inputs.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// Whether the matrices of a model's blocks can be rounded by error compensation: those in int4_multipliers of a
/// decoder of tokens without cross-attention.
[[nodiscard]] bool can_be_compensated(const ModelConfig& config);

/// Passes of compensate_blocks(): the model in float32, what it does, and its blocks.
inline constexpr std::size_t compensation_passes = 3;

/// From now on, the matrices of the blocks are rounded by error compensation (ErrorCompensation) on what they multiply
/// where the model in float32 runs on calibration inputs, whenever the model is packed in int4_multipliers, whatever
/// its rows are. Its ends, and a model packed in another type, stay as they were. Returns the errors of the products on
/// these inputs, a line for each kind: the root mean square of the difference that rounding makes, in parts of that of
/// the exact products, where weights are rounded to the nearest and so. A Failure begins with the name of the inputs'
/// option.
[[nodiscard]] std::string compensate_blocks(ModelTensors& tensors, const std::string& option,
                                            const ModelInputs& inputs);

}  // namespace heed::tools
