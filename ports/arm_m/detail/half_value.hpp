// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

/// The value of an IEEE-754 binary16 number; NaN becomes a quiet NaN.
[[gnu::always_inline]] inline float half_value(std::uint16_t half) noexcept {
  float value = std::bit_cast<float>(std::uint32_t{half});
  asm("vcvtb.f32.f16 %0, %0" : "+t"(value));
  return value;
}

}  // namespace heed::detail
