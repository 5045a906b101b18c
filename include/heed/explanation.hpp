// SPDX-License-Identifier: MIT
//
// Which member of a configuration make_plan() refuses, and what it may be. The words are in a program that asks alone.
#pragma once

#include "heed/status.hpp"

namespace heed {

/// For example {too_large, "heads", 70000, 1, 65536, ""}.
struct Explanation {
  Status status = Status::ok;  ///< what make_plan() returns; with ok the rest means nothing
  const char* member = "";     ///< its name in the configuration, or in the BlockMemory, in static storage
  double value = 0.0;          ///< with every 0 replaced by what it means
  double least = 0.0;          ///< least and most are allowed by this check; others may leave less
  double most = 0.0;
  const char* rule = "";  ///< what the range does not say, in words: "must divide heads"
};

namespace detail {

/// What make_plan() tells its reasons: nobody.
struct Unexplained {
  template <class... Reason>
  [[gnu::always_inline]] constexpr Status operator()(Status status, const Reason&... /*reason*/) const noexcept {
    return status;
  }
  /// A member has another name in the configuration around the one that was refused.
  [[gnu::always_inline]] constexpr void rename(const char* /*from*/, const char* /*to*/) const noexcept {}
};

/// Keeps the reason.
struct Explainer {
  Explanation* to;

  template <class Value, class Least, class Most>
  constexpr Status operator()(Status status, const char* member, Value value, Least least, Most most,
                              const char* rule = "") const noexcept {
    *to = {status, member, static_cast<double>(value), static_cast<double>(least), static_cast<double>(most), rule};
    return status;
  }
  constexpr void rename(const char* from, const char* to_name) const noexcept {
    const char* member = to->member;
    while (*from != '\0' && *member == *from) ++member, ++from;
    if (*from == '\0' && *member == '\0') to->member = to_name;
  }
};

/// The only reason that has no member.
template <class Say>
[[nodiscard]] constexpr Status sizes_too_large(Say say) noexcept {
  return say(Status::too_large, "", 0, 0, 0xFFFFFFFFU, "a memory of the plan has more than 2^32 - 1 bytes");
}

}  // namespace detail

/// What make_plan() says of a configuration, by the same checks: explain<AttentionPlan>(config), or
/// explain<ModelPlan>(config, memory).
template <class Plan, class... Configs>
[[nodiscard]] constexpr Explanation explain(const Configs&... configs) noexcept {
  Explanation found;
  Plan plan{};
  found.status = make_plan(configs..., plan, detail::Explainer{&found});
  return found;
}

}  // namespace heed
