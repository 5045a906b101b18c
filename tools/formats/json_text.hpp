// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::tools {

/// How many lists and objects may lie in each other. A copy of a value recurses.
inline constexpr int deepest_json = 64;

/// Parses JSON. A Failure, which begins with `what`, says the line and the column where it is none; also of a name that
/// an object has twice, of which the parser alone would keep the last in silence, of JSON deeper than deepest_json, and
/// of one whose values would take more than twenty times its bytes and a megabyte.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& what);

}  // namespace heed::tools
