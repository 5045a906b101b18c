// SPDX-License-Identifier: MIT
//
// The square root, rounded to nearest even, in integer instructions of 32 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <soft_floats/fused_multiply_add.hpp>

namespace heed::port {
inline namespace heed_own_code {

/// The root's first 25 bits, of a radicand that is the mantissa and zeros.
[[nodiscard, gnu::always_inline]] inline std::uint32_t root_of(std::uint32_t mantissa) noexcept {
  std::uint32_t rest = 0;
  std::uint32_t root = 0;
  for (int left = 25; left != 0; --left) {
    rest = rest << 2 | mantissa >> 30;
    mantissa <<= 2;
    const std::uint32_t step = root << 2 | 1U;
    root <<= 1;
    if (rest >= step) {
      rest -= step;
      root |= 1U;
    }
  }
  return root;
}

[[nodiscard, gnu::noinline]] inline float soft_square_root(float x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (bits << 1 == 0) return x;
  if ((bits & sign_bit) != 0 || exponent_of(bits) == 255)
    return std::bit_cast<float>(bits == infinity_bits ? bits : infinity_bits | 1U << 22);
  const Parts parts = parts_of(bits);
  // The radicand's 50 bits are the mantissa and zeros, so that the root has 25; of the exponent's oddness half is left.
  const std::int32_t exponent = parts.exponent + 127;
  const std::uint32_t root = root_of(mantissa_of(parts.bits) >> 1 << (exponent % 2));
  // A root of 25 bits that ended half way would be odd, and its square as well, but the radicand is even.
  return std::bit_cast<float>((static_cast<std::uint32_t>(exponent / 2 - 1) << 23) + ((root + 1) >> 1));
}

}  // namespace heed_own_code
}  // namespace heed::port
