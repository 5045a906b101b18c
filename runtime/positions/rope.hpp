// SPDX-License-Identifier: MIT
//
// What apply_rotary() does, in two parts: a layer checks everything before it writes, and rotates its rows later.
#pragma once

#include "heed/rotary.hpp"

namespace heed::detail {

/// Whether every position has a row in the table, or without one a number of 32 bits.
[[nodiscard]] Status check_positions(const Rotary& rotary, const RotaryPositions& tokens) noexcept;

/// apply_rotary() of checked arguments.
void rotate(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept;

}  // namespace heed::detail
