// SPDX-License-Identifier: MIT
//
// The greatest magnitude of a row that is to be rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <port.hpp>

namespace heed::detail {

/// Of x [count], or NaN if one of them is infinite or NaN. Bits without the sign are ordered as magnitudes are; a jump
/// that is seldom taken costs less than a choice.
[[nodiscard]] inline float row_magnitude(const float* x, std::uint32_t count) noexcept {
  std::uint32_t greatest = 0;
  const float* const end = x + count;
  const auto take = [&]() noexcept {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(*x++) << 1;
    if (__builtin_expect_with_probability(bits > greatest, 0, 0.99)) {
      greatest = bits;
      asm volatile("");  // else compilers choose
    }
  };
  for (std::uint32_t round = count / 4; round != 0; --round) {
#pragma GCC unroll port::unrolled
    for (int n = 0; n < 4; ++n) take();
  }
  while (x != end) take();
  return greatest < 0xFF000000U ? std::bit_cast<float>(greatest >> 1) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::detail
