// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "common/constants.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Natural logarithm of a sum of weights: finite x >= 2^-126 within 1.2e-7 relative or 6e-8 absolute, -inf at 0, and
/// NaN stays NaN. Scalar: it is taken once per row.
[[nodiscard]] inline float logarithm(float x) noexcept {
  constexpr std::uint32_t exponent_field = 0x7F800000U;
  constexpr std::uint32_t sqrt_half = 0x3F3504F3U;
  if (x == 0.0F) return -std::bit_cast<float>(exponent_field);
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & exponent_field) == exponent_field) return x;
  // x = 2^exponent * mantissa with the mantissa in [sqrt(1/2), sqrt(2)).
  const std::uint32_t shifted = bits - sqrt_half;
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23);
  const float mantissa = std::bit_cast<float>((shifted & 0x007FFFFFU) + sqrt_half);
  // ln m = 2 artanh(s) = 2 s + s^3 (2/3 + 2/5 s^2 + 2/7 s^4 + 2/9 s^6), s = (m - 1) / (m + 1), |s| < 0.172.
  const float s = (mantissa - 1.0F) / (mantissa + 1.0F);
  const float square = s * s;
  float series = 0.222222222F;
  series = __builtin_fmaf(series, square, 0.285714286F);
  series = __builtin_fmaf(series, square, 0.4F);
  series = __builtin_fmaf(series, square, 0.666666667F);
  const float small = __builtin_fmaf(series * square, s, s + s);
  return __builtin_fmaf(exponent, ln_2, small);
}

}  // namespace heed_own_code
}  // namespace heed::detail
