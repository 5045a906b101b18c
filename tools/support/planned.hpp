// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>

#include "heed/types.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// Which member was refused, under the name that it has for the user, and what it may be: "kv_heads 3: must divide
/// heads; 1 to 4 are allowed".
[[nodiscard]] inline std::string to_text(const Explanation& why, const std::string& name) {
  std::ostringstream text;
  text.precision(10);
  if (*why.member == '\0') return why.rule;
  const bool type = std::string(why.member).ends_with("_type") && why.value < data_type_words.size();
  if (type && *why.rule != '\0') return name + ' ' + to_word(static_cast<DataType>(why.value)) + ": " + why.rule;
  text << name << ' ' << why.value << ": ";
  if (*why.rule != '\0') text << why.rule << "; ";
  text << why.least;
  if (why.most > why.least) text << " to " << why.most;
  text << (why.most > why.least ? " are" : " is") << " allowed";
  return text.str();
}

/// The plan of a configuration; its Failure says what is wrong with which member of it, as `name_of` calls that. `what`
/// names the operation.
template <class Plan, class Name, class... Configs>
[[nodiscard]] Plan planned_as(const Name& name_of, const std::string& what, const Configs&... configs) {
  Plan plan;
  const Explanation why = explain<Plan>(configs...);
  if (why.status != Status::ok) {
    throw Failure(what + ": " + to_string(why.status) + ": " + to_text(why, name_of(std::string(why.member))));
  }
  require_ok(make_plan(configs..., plan), what);
  return plan;
}

template <class Plan, class... Configs>
[[nodiscard]] Plan planned(const std::string& what, const Configs&... configs) {
  return planned_as<Plan>([](const std::string& member) { return member; }, what, configs...);
}

}  // namespace heed::tools
