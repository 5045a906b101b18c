// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// A model from its folder, of which nothing has to be said. A Failure names what is missing, contradicts, or is not
/// known.
[[nodiscard]] ModelTensors read_model_folder(const std::filesystem::path& folder, const std::string& part,
                                             bool allow_unused, const StoredTypes& types);

}  // namespace heed::tools
