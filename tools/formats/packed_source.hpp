// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "formats/c_source.hpp"
#include "heed/multi_head.hpp"

namespace heed::tools {

/// Packed weights as a constant array `name` on the boundary that they need, the configuration that they were packed
/// for as <name>_config, and its sizes as <name>_heads and so on. With `arena`, the rest of the configuration is the
/// plan's, and the arena's bytes, which C cannot compute, are there too; without, <name>_config.max_keys is 0.
[[nodiscard]] CSource packed_source(const std::string& name, const MultiHeadPlan& plan,
                                    std::span<const std::byte> packed, bool arena);

}  // namespace heed::tools
