// SPDX-License-Identifier: MIT
//
// For the sources of a model: functions of positions that are not linked where its plan does not need them
// (heed/detail/linked_code.hpp), and are not called then.
#pragma once

#include "positions/rotary.hpp"

#ifdef __ELF__
// NOLINTBEGIN(readability-redundant-declaration)
namespace heed {

[[gnu::weak]] Status add_sinusoidal_positions(MutableMatrix x, std::uint32_t rows, std::uint32_t dim,
                                              std::uint32_t first_position, SinusoidLayout order, float base) noexcept;

namespace detail {

[[gnu::weak]] Status check_positions(const Rotary& rotary, const RotaryPositions& tokens) noexcept;
[[gnu::weak]] void rotate(const Rotary& rotary, const RotaryPositions& tokens, ConstTensor from,
                          MutableTensor to) noexcept;
[[gnu::weak]] void compute_rotary_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count,
                                       float* rows) noexcept;

}  // namespace detail

}  // namespace heed
// NOLINTEND(readability-redundant-declaration)
#endif
