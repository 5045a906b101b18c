// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

inline constexpr float log2_e = 1.44269504F;
inline constexpr float ln_2 = 0.693147181F;
inline constexpr float lowest = -3.40282347e38F;
inline constexpr float minus_infinity = std::bit_cast<float>(0xFF800000U);

}  // namespace heed::detail
