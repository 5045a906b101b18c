// SPDX-License-Identifier: MIT
//
// What rotate() does, in two parts: a layer checks everything before it writes, and turns its rows later.
#pragma once

#include "heed/rotary.hpp"

namespace heed::detail {

/// Whether every position has a row in the table, or without one a number of 32 bits.
[[nodiscard]] Status check_positions(const Rotary& rotary, const RotaryTokens& tokens) noexcept;

/// rotate() of checked arguments.
void turn(const Rotary& rotary, const RotaryTokens& tokens, ConstTensor from, MutableTensor to) noexcept;

}  // namespace heed::detail
