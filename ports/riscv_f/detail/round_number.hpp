// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

/// x * factor rounded to nearest even, within -2^21..2^21: the low bits of what an addition leaves.
[[nodiscard]] inline std::int32_t round_number(float x, float factor) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23
  return std::bit_cast<std::int32_t>(x * factor + shift) - std::bit_cast<std::int32_t>(shift);
}

}  // namespace heed::detail
