// SPDX-License-Identifier: MIT
//
// What is known of a core without having one: bytes of code and of stack, and what the parts of a model cost in
// instructions. The numbers are those of the tree's own tables, which its tests measure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed::tools {

struct Core {
  std::string_view name;
  std::string_view preset;      ///< the column of its code's figures
  bool has_costs;               ///< whether instructions were counted
  bool starts_several = false;  ///< whether it can start more than one instruction in a cycle
};

[[nodiscard]] std::span<const Core> cores();

/// A Failure names those that are known.
[[nodiscard]] const Core& core_of(const std::string& name);

/// "code and constants, model, -O3", "stack, heed_model_decode", ...; nothing where nobody measured it.
[[nodiscard]] std::optional<double> figure(const Core& core, std::string_view name);

/// Instructions of a part: "one, product, int8 by float32", ...; nothing as figure().
[[nodiscard]] std::optional<double> cost(const Core& core, std::string_view name);

/// Tables, a line each, columns parted by tabs, the names of the columns in the first line.
[[nodiscard]] std::string_view figures_table();
[[nodiscard]] std::string_view costs_table();

}  // namespace heed::tools
