// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>

#include "heed/explanation.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// Which member was refused, and what it may be: "kv_heads 3: must divide heads; 1 to 4".
[[nodiscard]] inline std::string to_text(const Explanation& why) {
  std::ostringstream text;
  text.precision(10);
  if (*why.member == '\0') return why.rule;
  text << why.member << ' ' << why.value << ": ";
  if (*why.rule != '\0') text << why.rule << "; ";
  text << why.least;
  if (why.most > why.least) text << " to " << why.most;
  text << (why.most > why.least ? " are" : " is") << " allowed";
  return text.str();
}

/// The plan of a configuration; its Failure says what is wrong with which member of it. `what` names the operation.
template <class Plan, class... Configs>
[[nodiscard]] Plan planned(const std::string& what, const Configs&... configs) {
  Plan plan;
  const Explanation why = explain<Plan>(configs...);
  if (why.status != Status::ok) throw Failure(what + ": " + to_string(why.status) + ": " + to_text(why));
  require_ok(make_plan(configs..., plan), what);
  return plan;
}

}  // namespace heed::tools
