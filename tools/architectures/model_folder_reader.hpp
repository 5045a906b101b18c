// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// What a folder does not say.
struct FolderOptions {
  std::string part;                    ///< which of its models, or empty
  std::string type;                    ///< `model_type` where it is missing, or empty
  std::vector<std::string> ignored{};  ///< members of its configurations that are not known, and left out
  bool allow_unused = false;
};

/// A model from its folder, of which nothing else has to be said. A Failure names what is missing, contradicts, or is
/// not known.
[[nodiscard]] ModelTensors read_model_folder(const std::filesystem::path& folder, const FolderOptions& options,
                                             const StoredTypes& types);

}  // namespace heed::tools
