// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "formats/c_source.hpp"
#include "heed/layer.hpp"

namespace heed::tools {

/// The words of packed weights as C has them, with a comma after each and a line break after every eighth.
[[nodiscard]] std::string words_of(std::span<const std::byte> packed);

/// Lines that stop a compiler for a big-endian CPU: the words of `name` hold smaller numbers, in the order of this
/// machine. `instead` is what is right there.
[[nodiscard]] std::string little_endian_alone(const std::string& name, const char* instead);

/// Packed weights as a constant array `name` on the boundary that they need, the configuration that they were packed
/// for as <name>_config, and its sizes as <name>_heads and so on. With `arena`, the rest of the configuration is the
/// plan's, and the arena's bytes, which C cannot compute, are there too; without, <name>_config.max_keys is 0.
[[nodiscard]] CSource packed_source(const std::string& name, const MultiHeadPlan& plan,
                                    std::span<const std::byte> packed, bool arena);

}  // namespace heed::tools
