// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::tools {

/// Parses JSON; discarded if it is none. Of a name that an object has twice, the parser alone would keep the last in
/// silence: here it is a Failure, which begins with `what`.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& what);

}  // namespace heed::tools
