// SPDX-License-Identifier: MIT
//
// A check of what the caller promises about plans, in builds without NDEBUG alone.
#pragma once

#include "heed/types.hpp"

namespace heed::detail {

/// Traps unless the plan is what make_plan() makes of its configuration: it was changed, or is not there any more.
template <class Plan>
inline void expect_as_made([[maybe_unused]] const Plan& plan) noexcept {
#ifndef NDEBUG
  Plan made{};
  if constexpr (requires { plan.memory; }) {
    if (make_plan(plan.config, plan.memory, made) != Status::ok) __builtin_trap();
  } else if constexpr (requires { plan.block; }) {
    if (make_plan(plan.config, plan.block.memory, made) != Status::ok) __builtin_trap();
  } else {
    if (make_plan(plan.config, made) != Status::ok) __builtin_trap();
  }
  if (!(made == plan)) __builtin_trap();
#endif
}

}  // namespace heed::detail
