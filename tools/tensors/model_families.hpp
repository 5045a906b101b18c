// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace heed::tools {

/// A tensor of a model and what a file calls it: "{}" stands for the number of the block, "@" for a prefix.
struct FamilyName {
  const char* role;
  const char* pattern;
  bool transposed = false;  ///< stored as [in, out]
};

/// Models whose tensors have the same names.
struct ModelFamily {
  const char* name;
  std::vector<const char*> prefixes;  ///< the usual ones, tried in this order
  std::vector<FamilyName> names;
  std::vector<const char*> buffers;  ///< tensors in such files that are no weights
};

/// The families whose names are known.
[[nodiscard]] std::span<const ModelFamily> model_families();

/// Every role that a tensor can have in a model; each of a block's is there once per block. A bias has the name of its
/// weight and "_bias".
[[nodiscard]] std::span<const char* const> tensor_roles();

}  // namespace heed::tools
