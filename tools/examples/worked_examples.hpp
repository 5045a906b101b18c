// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

namespace heed::tools {

/// The content of tests/data/worked_examples.json, which is built into the command.
[[nodiscard]] const nlohmann::json& worked_examples();

}  // namespace heed::tools
