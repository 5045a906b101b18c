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

}  // namespace heed::detail
