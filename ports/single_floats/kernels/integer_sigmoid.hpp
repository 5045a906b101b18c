// SPDX-License-Identifier: MIT
//
// The functions of the shared kernel, in integers.
#pragma once

#include <bit>
#include <cstdint>
#include <gaussian_shares.hpp>
#include <kernels/integer_exp2.hpp>
#include <port.hpp>
#include <single_floats/detail/single.hpp>

namespace heed::detail {

/// x / 2^bits to nearest, of two the greater.
template <int bits>
[[gnu::always_inline]] inline std::uint32_t shifted_to_nearest(std::uint32_t x) noexcept {
  return (x + (1U << (bits - 1))) >> bits;
}

/// factor * |x|, at most `most`, to nearest even; NaN counts as that.
template <std::uint32_t most, std::uint32_t factor>
[[gnu::always_inline]] inline std::uint32_t magnitude_within(std::uint32_t bits) noexcept {
  constexpr float shift = 8388608.0F;  // 2^23
  constexpr auto scale = static_cast<float>(factor);
  bits &= 0x7FFFFFFFU;
  if (bits >= std::bit_cast<std::uint32_t>(static_cast<float>(most) / scale)) return most;
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) * scale + shift) - std::bit_cast<std::uint32_t>(shift);
}

/// That of a number with the sign of `bits`, whose magnitude has `share`.
[[gnu::always_inline]] inline port::Single signed_share(std::int32_t share, std::uint32_t bits) noexcept {
  return {static_cast<float>(bits >> 31 != 0 ? (1 << 13) - share : share) * 0x1p-13F};
}

/// s for d.
[[gnu::always_inline]] inline port::Single share_of(std::uint32_t d, std::uint32_t bits) noexcept {
  const std::uint32_t divisor = (1U << 14) + integer_exp2(d);
  return signed_share(static_cast<std::int32_t>((134218640 + divisor / 2) / divisor), bits);
}

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::Single integer_sigmoid(port::Single x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x.value);
  return share_of(shifted_to_nearest<10>(magnitude_within<2839, 256>(bits) * 1477), bits);
}

/// The share of a normal distribution below x.
[[gnu::always_inline]] inline port::Single integer_gaussian(port::Single x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x.value);
  if constexpr (port::has_gaussian_table) {
    return signed_share(gaussian_shares.of[magnitude_within<gaussian_most, 512>(bits)], bits);
  }
  const std::uint32_t number = magnitude_within<2047, 512>(bits);
  const std::uint32_t square = shifted_to_nearest<10>(number * number);
  const std::uint32_t factor = shifted_to_nearest<12>(4828081 + 843 * square);
  return share_of(shifted_to_nearest<10>(number * factor), bits);
}

inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  return port::for_each_lane([&x](int i) noexcept { return integer_sigmoid(port::Single{x.lane[i]}).value; });
}
inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  return port::for_each_lane([&x](int i) noexcept { return integer_gaussian(port::Single{x.lane[i]}).value; });
}

}  // namespace heed::detail
