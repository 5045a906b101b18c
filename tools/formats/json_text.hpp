// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::tools {

/// How many lists and objects may lie in each other. A copy of a value recurses.
inline constexpr int deepest_json = 64;

/// Parses JSON; discarded if it is none. Of a name that an object has twice, the parser alone would keep the last in
/// silence: here it is a Failure, which begins with `what`. So is JSON that is deeper than deepest_json, and one of
/// which the values would take more than twenty times its bytes and a megabyte.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& what);

}  // namespace heed::tools
