// SPDX-License-Identifier: MIT
//
// What a row takes that is rounded to integers.
#pragma once

#include <cstdint>

#include "heed/arena.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Its scale, two bytes for each number, and four for each group of 32, in which a port may keep a sum; of at most 2^30
/// numbers.
[[nodiscard]] constexpr std::uint32_t rounded_row_bytes(std::uint32_t numbers) noexcept {
  const std::uint32_t groups = (numbers + scale_group_size - 1) / scale_group_size;
  const std::uint32_t bytes = 16 + groups * (scale_group_size * 2 + 4);
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

}  // namespace heed::detail
