// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model from its architecture, a JSON file with the members of ModelConfig and the names of its tensors, and from
/// the tensors. A Failure names what is missing, has another shape or, unless that is allowed, is not read.
[[nodiscard]] ModelTensors read_model_tensors(const std::filesystem::path& architecture,
                                              const std::filesystem::path& weights, bool allow_unused);

}  // namespace heed::tools
