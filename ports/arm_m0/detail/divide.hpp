// SPDX-License-Identifier: MIT
//
// Quotients of mantissas by a reciprocal of 12 bits, which is two products for each 9 bits of a quotient.
#pragma once

#include <cstdint>
#include <soft_floats/divide.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// x * 2^26 / y of 24 bits each with x < 2 y, and its last bit set where it is not exact.
template <>
[[nodiscard, gnu::always_inline]] inline std::uint32_t divide_mantissas<IntegerUnit{false, false}>(
    std::uint32_t x, std::uint32_t y) noexcept {
  // 2^36 / y by a parabola 2 % off at most, then 2^39 / y by a step of Newton's: less by 2^-11 of it at most, never
  // more.
  const std::uint32_t divisor = (y >> 9) + 1;
  const std::uint32_t over = divisor - (1U << 14);
  const std::uint32_t start = 8128 - (over * (6768 - (over * 2800 >> 14)) >> 14);
  const auto rest = static_cast<std::int32_t>((1U << 27) - divisor * start);
  const std::uint32_t reciprocal =
      start * 8 + static_cast<std::uint32_t>(static_cast<std::int32_t>(start) * (rest >> 8) >> 16);
  // A digit below 2^10 lacks less than 2: x stays below 2 y.
  std::uint32_t quotient = 0;
  const auto divide = [&](int bits) noexcept {
    const std::uint32_t digits = (x >> 10) * reciprocal >> (29 - bits);
    x = (x << bits) - digits * y;
    quotient = (quotient << bits) + digits;
  };
  divide(9);
  divide(9);
  divide(8);
  if (x >= y) {
    x -= y;
    ++quotient;
  }
  return quotient | (x != 0 ? 1U : 0U);
}

}  // namespace heed_own_code
}  // namespace heed::port
