// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "positions/rotary.hpp"

namespace heed::detail {

/// Cosines and sines that a model computes once for all blocks, on the stack: of one row of 64 columns, for example, or
/// of eight rows of eight. More are computed in every block.
inline constexpr std::uint32_t rotary_floats = 64;

/// Floats of the table of `count` rows.
[[nodiscard]] inline std::uint64_t rotary_floats_of(const RotaryPlan& plan, std::uint32_t count) noexcept {
  return std::uint64_t{count} * plan.config.rotary_dim;
}

/// The rotary positions of `count` rows from `first` on, with `table` [rotary_floats] where their rows fit in it, or
/// `room`, which has room for them, if it is not null. The number of the table's first row is written to `begin`.
[[nodiscard]] inline Rotary rotary_of_rows(const RotaryPlan& plan, std::uint32_t first, std::uint32_t count,
                                           float* table, std::uint32_t& begin, float* room = nullptr) noexcept {
  Rotary rotary{plan, nullptr};
  if (rotary_floats_of(plan, count) > rotary_floats) {
    if (room == nullptr) return rotary;
    table = room;
  }
  compute_rotary_rows(plan, first, count, table);
  rotary.plan.config.max_position = count;
  rotary.table = table;
  begin = first;
  return rotary;
}

}  // namespace heed::detail
