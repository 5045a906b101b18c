// SPDX-License-Identifier: MIT
//
// What apply_rotary() does, in two parts: a layer checks everything before it writes, and rotates its rows later.
#pragma once

#include <cstdint>

#include "heed/positions.hpp"

namespace heed::detail {

/// Whether every position has a row in the table, or without one a number of 32 bits.
[[nodiscard]] Status check_positions(const Rotary& rotary, const RotaryPositions& tokens) noexcept;

/// apply_rotary() of checked arguments.
void rotate(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from, MutableTensor to) noexcept;

/// fill_rotary_rows() out of line.
void compute_rotary_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count, float* rows) noexcept;

}  // namespace heed::detail
