// SPDX-License-Identifier: MIT
#include "formats/json_text.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// "line 3, column 5: a comment", where a parser stopped after `read` bytes, the last of which it did not expect.
std::string place_of(std::string_view text, std::size_t read) {
  const std::size_t at = std::min(read == 0 ? 0 : read - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  std::string found = "something else is needed";
  if (at == text.size()) {
    found = "it ends too early";
  } else if (text[at] == '/' || text[at] == '#' || (last == at - 1 && before.ends_with('/'))) {
    found = "JSON has no comments";
  } else if ((text[at] == '}' || text[at] == ']') && last != std::string_view::npos && text[last] == ',') {
    found = "JSON has no comma after the last one";
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(at - begin + 1) + ": " + found;
}

}  // namespace

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
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::parse_error& error) {
    throw Failure(what + ": not JSON: " + place_of(text, error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Failure(what + ": not JSON: a number is too large for any type");
  }
}

}  // namespace heed::tools
