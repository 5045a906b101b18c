// SPDX-License-Identifier: MIT
//
// A check of what the caller promises about plans, in builds without NDEBUG alone.
#pragma once

#include <cstddef>

#include "heed/status.hpp"

namespace heed::detail {

/// Traps unless the plan is what make_plan() makes of its configuration, byte by byte.
template <class Plan>
inline void expect_as_made([[maybe_unused]] const Plan& plan) noexcept {
#ifndef NDEBUG
  Plan made{};
  if (make_plan(plan.config, made) != Status::ok) __builtin_trap();
  const auto* expected = reinterpret_cast<const std::byte*>(&made);
  const auto* given = reinterpret_cast<const std::byte*>(&plan);
  for (std::size_t i = 0; i < sizeof(Plan); ++i) {
    if (given[i] != expected[i]) __builtin_trap();
  }
#endif
}

}  // namespace heed::detail
