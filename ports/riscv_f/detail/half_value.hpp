// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <kernels/convert.hpp>

namespace heed::detail {

/// The value of an IEEE-754 binary16 number; NaN becomes a quiet NaN.
[[gnu::always_inline]] inline float half_value(std::uint16_t half) noexcept {
  return from_half(half);
}

}  // namespace heed::detail
