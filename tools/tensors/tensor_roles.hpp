// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace heed::tools {

/// Every role that a tensor can have in a model; each of a block's is there once per block. A bias has the name of its
/// weight and "_bias".
[[nodiscard]] std::span<const char* const> tensor_roles();

}  // namespace heed::tools
