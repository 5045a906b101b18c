// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

inline constexpr float lowest = -3.40282347e38F;
inline constexpr float minus_infinity = std::bit_cast<float>(0xFF800000U);

/// The keys [begin, end).
struct KeyRange {
  std::uint32_t begin;
  std::uint32_t end;

  [[nodiscard]] constexpr bool empty() const noexcept { return begin >= end; }
};

}  // namespace heed::detail
