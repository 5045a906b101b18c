// SPDX-License-Identifier: MIT
//
// What a row takes that is rounded to integers.
#pragma once

#include <cstdint>

#include "heed/arena.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Its scale, two bytes for each number, and four for each group of 32, in which a port may keep a sum.
[[nodiscard]] constexpr std::uint64_t rounded_row_bytes(std::uint64_t numbers) noexcept {
  const std::uint64_t groups = (numbers + scale_group_size - 1) / scale_group_size;
  return round_up(16 + groups * (scale_group_size * 2 + 4), arena_alignment);
}

}  // namespace heed::detail
