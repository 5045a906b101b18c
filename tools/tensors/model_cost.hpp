// SPDX-License-Identifier: MIT
//
// What a model takes of a core, in instructions, from a table of what its parts take.
#pragma once

#include <functional>
#include <string>

#include "heed/model.hpp"

namespace heed::tools {

/// Instructions of a part by its name (tests/figures/model_costs.py); a Failure where there are none.
using PartCost = std::function<double(const std::string& part)>;

/// Of a decoder's token that sees `keys` keys, its own included, where no window hides them.
[[nodiscard]] double token_instructions(const ModelPlan& plan, const PartCost& cost, double keys);

/// Of a token in the mean of a text of `tokens` tokens.
[[nodiscard]] double text_instructions(const ModelPlan& plan, const PartCost& cost, std::uint32_t tokens);

/// Of an encoder's call with as many rows as the plan has.
[[nodiscard]] double call_instructions(const ModelPlan& plan, const PartCost& cost);

}  // namespace heed::tools
