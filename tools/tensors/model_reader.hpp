// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "formats/weight_file.hpp"
#include "tensors/model_architecture.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model from its architecture, a JSON file, and from the tensors. A Failure names what is missing, has another
/// shape or, unless that is allowed, is not read; when the tensors are packed, what is no number or too large for the
/// type that it is stored in.
[[nodiscard]] ModelTensors read_model_tensors(const std::filesystem::path& architecture,
                                              const std::filesystem::path& weights, bool allow_unused,
                                              const StoredTypes& types);

/// The same of an architecture that has been read.
[[nodiscard]] ModelTensors read_model_tensors(const ModelDescription& model, std::shared_ptr<const WeightFile> weights,
                                              bool allow_unused);

}  // namespace heed::tools
