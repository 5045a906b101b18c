// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heed/multi_head.hpp"

namespace heed::tools {

/// A header for C and C++ that holds packed weights as a constant array `name`, on the boundary that they need, and the
/// sizes that they were packed for as <name>_heads and so on. With `arena`, the rest of the plan's configuration too,
/// and the arena's bytes, which C cannot compute.
[[nodiscard]] std::string packed_header(const std::string& name, const MultiHeadPlan& plan,
                                        std::span<const std::byte> packed, bool arena);

/// Whether the text is a name in C and C++.
[[nodiscard]] bool is_identifier(const std::string& text);

}  // namespace heed::tools
