// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tensors/operands.hpp"

namespace heed::tools {

/// Rotary positions on the command line.
struct RotaryOptions {
  std::string rope;
  std::string positions;
  std::string key_positions;
};

void add_rotary_options(CLI::App& command, RotaryOptions& options);

/// Turns queries and new keys in place, if the options say so. Query i of a batch entry is at offsets[b] + i, and new
/// key j at past + j, unless files give the positions. Keys of the past are taken to have been turned already.
void rotate_operands(const RotaryOptions& options, const std::vector<std::int32_t>& offsets, std::uint32_t past,
                     Operands& operands);

}  // namespace heed::tools
