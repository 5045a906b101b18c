// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/positions.hpp"
#include "tensors/operands.hpp"

namespace heed::tools {

/// Rotary positions on the command line.
struct RotaryOptions {
  std::string rope;
  std::string scaling;
  std::string positions;
  std::string key_positions;
};

/// What the help of a command says about its two options for positions.
struct RotaryTexts {
  const char* positions = nullptr;
  const char* key_positions = nullptr;
};

void add_rotary_options(CLI::App& command, RotaryOptions& options, const RotaryTexts& texts);

/// The plan of the options for heads of `head_dim` columns, those of `rows`; none without --rope, and a Failure if
/// another option needs it.
[[nodiscard]] std::optional<RotaryPlan> rotary_plan(const RotaryOptions& options, std::uint32_t head_dim,
                                                    const std::string& rows);

/// Rows [batch, count] that are rotated, and what messages call them.
struct RotaryRows {
  std::uint32_t batch = 0;
  std::uint32_t count = 0;
  std::string name;
};

/// Positions [batch, count]: those of --positions, or else offsets[b] + 0, 1, ...
[[nodiscard]] std::vector<std::uint32_t> query_positions(const RotaryOptions& options, const RotaryRows& rows,
                                                         const std::vector<std::int32_t>& offsets);

/// Positions [batch, count]: those of --key-positions, or else past + 0, 1, ...
[[nodiscard]] std::vector<std::uint32_t> key_positions(const RotaryOptions& options, const RotaryRows& rows,
                                                       std::uint32_t past);

/// Rotates queries and new keys in place, if the options say so. Query i of a batch entry is at offsets[b] + i, and new
/// key j at past + j, unless files give the positions. Keys of the past are taken to have been rotated already.
void rotate_operands(const RotaryOptions& options, const std::vector<std::int32_t>& offsets, std::uint32_t past,
                     Operands& operands);

}  // namespace heed::tools
