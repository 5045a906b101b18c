// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace heed::detail {

/// One lane of exp2_nonpositive(), operation for operation.
[[gnu::always_inline]] inline float lane_exp2(float x) noexcept {
  constexpr float shift = 12582912.0F + 127.0F;
  const float kept = -127.0F > x ? -127.0F : x;
  const float shifted = kept + shift;
  const float power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
  const float fraction = kept - (shifted - shift);
  float q = 1.55946778e-4F;
  q = __builtin_fmaf(q, fraction, 1.34066434e-3F);
  q = __builtin_fmaf(q, fraction, 9.61769279e-3F);
  q = __builtin_fmaf(q, fraction, 5.55031039e-2F);
  q = __builtin_fmaf(q, fraction, 2.40226522e-1F);
  q = __builtin_fmaf(q, fraction, -3.06852788e-1F);
  return __builtin_fmaf(power, __builtin_fmaf(q, fraction, fraction), power);
}

}  // namespace heed::detail
