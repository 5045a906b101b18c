// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// As many rows as the greatest tile of integers has, and as plans make room for; weights of a layer stay in a cache
/// that all workers share.
inline constexpr std::uint32_t least_row_share = 16;

}  // namespace heed::detail
