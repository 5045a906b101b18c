// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "commands/plan_report.hpp"

namespace heed::tools {

/// Whether a model fits the boards of the tree, a line each: the weights into the flash that a board has for models,
/// state and scratch into its RAM beside the stack. Code and the program's own data are not counted.
[[nodiscard]] std::string boards_text(const PlanTotals& totals);
[[nodiscard]] nlohmann::ordered_json boards_json(const PlanTotals& totals);

}  // namespace heed::tools
