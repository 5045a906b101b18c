// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tensors/model_inputs.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// Sets each kind of rows of a model in integers to int8 or int16, by running it on calibration inputs. The error is
/// the root mean square of the difference to the outputs of the same model in float32, in parts of that of these
/// outputs. With every row in int16 it is all but that of the weights; rows of int8 may raise it to sqrt(2) of that, as
/// much as the weights cost. The kinds are tried from the one that alone costs least; those that are named already stay
/// as they are. Returns what was measured and chosen, a line for each kind.
[[nodiscard]] std::string choose_rows(ModelTensors& tensors, const std::string& option, const ModelInputs& inputs,
                                      const std::map<std::string, DataType>& named);

/// How often choose_rows() packs such a model.
[[nodiscard]] std::size_t row_choice_passes(ModelConfig config, const std::map<std::string, DataType>& named);

}  // namespace heed::tools
