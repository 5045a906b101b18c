// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// The keys [begin, end).
struct KeyRange {
  std::uint32_t begin;
  std::uint32_t end;

  [[nodiscard, gnu::always_inline]] constexpr bool empty() const noexcept { return begin >= end; }
};

/// Where a range ends that two limits bound.
[[nodiscard]] constexpr std::uint32_t least(std::uint32_t a, std::uint32_t b) noexcept {
  return a < b ? a : b;
}

}  // namespace heed::detail
