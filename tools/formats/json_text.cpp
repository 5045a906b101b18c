// SPDX-License-Identifier: MIT
#include "formats/json_text.hpp"

#include <set>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

nlohmann::json parse_json(std::string_view text, const std::string& what) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> open;  // names so far in each object around
  const auto watch = [&](int depth, Event event, const nlohmann::json& value) {
    if (depth > deepest_json) {
      throw Failure(what + ": more than " + std::to_string(deepest_json) + " lists and objects lie in each other");
    }
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(value.get<std::string>()).second) {
      throw Failure(what + " has " + value.get<std::string>() + " twice");
    }
    return true;
  };
  return nlohmann::json::parse(text, watch, false);
}

}  // namespace heed::tools
