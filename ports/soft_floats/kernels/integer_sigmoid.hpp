// SPDX-License-Identifier: MIT
//
// The functions of the shared kernel, in integers, from a float's bits to a float's bits.
#pragma once

#include <bit>
#include <cstdint>
#include <kernels/integer_exp2.hpp>
#include <port.hpp>
#include <single_floats/detail/single.hpp>
#include <soft_floats/detail/share_parts.hpp>

#include "common/kernel_contract.hpp"

namespace heed::port {
inline namespace heed_own_code {

/// A number / 2^13.
struct Share {
  std::uint32_t number;
};

/// max(x, lowest) * share, which activations of Singles find by the types of their operands.
[[gnu::always_inline]] inline Single scaled(Single x, Share share) noexcept {
  Single result;
  if (multiply_by_share<integer_unit, 13>(x.value, share.number, result.value)) return result;
  return mul(max(Single{detail::lowest}, x), Single{detail::share_of_one<13>(share.number)});
}

}  // namespace heed_own_code
}  // namespace heed::port

namespace heed::detail {
inline namespace heed_own_code {

/// x / 2^bits to nearest, of two the greater.
template <int bits>
[[gnu::always_inline]] inline std::uint32_t shifted_to_nearest(std::uint32_t x) noexcept {
  return (x + (1U << (bits - 1))) >> bits;
}

/// 2^13 times 2^14 / divisor to nearest, of divisors from 2^14 to 2^15.
[[gnu::always_inline]] inline std::uint32_t share_by_division(std::uint32_t divisor) noexcept {
  return (134218640 + divisor / 2) / divisor;
}

/// The same where a division is a call: a parabola 64 off at most, one step of Newton's, which ends 1 below at most.
[[gnu::always_inline]] inline std::uint32_t share_by_steps(std::uint32_t divisor) noexcept {
  const std::uint32_t number = 134218640 + divisor / 2;
  const std::uint32_t over = divisor - (1U << 14);
  std::uint32_t share = 8128 - (over * (6768 - (over * 2800 >> 14)) >> 14);
  const auto rest = static_cast<std::int32_t>(number - share * divisor);
  share += static_cast<std::uint32_t>((rest >> 8) * static_cast<std::int32_t>(share) >> 19);
  return share + (number - share * divisor >= divisor ? 1U : 0U);
}

/// s for d.
[[gnu::always_inline]] inline port::Share share_of(std::uint32_t d, std::uint32_t bits) noexcept {
  const std::uint32_t divisor = (1U << 14) + integer_exp2(d);
#if defined(__arm__) && !defined(__ARM_FEATURE_IDIV)
  std::uint32_t share = share_by_steps(divisor);
#else
  std::uint32_t share = share_by_division(divisor);
#endif
  if (static_cast<std::int32_t>(bits) < 0) share = (1U << 13) - share;
  return {share};
}

/// 1 / (1 + e^-x).
[[gnu::always_inline]] inline port::Share integer_sigmoid(port::Single x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x.value);
  return share_of(shifted_to_nearest<10>(magnitude_within<2839, 256>(bits) * 1477), bits);
}

/// The share of a normal distribution below x.
[[gnu::always_inline]] inline port::Share integer_gaussian(port::Single x) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x.value);
  const std::uint32_t number = magnitude_within<2047, 512>(bits);
  const std::uint32_t square = shifted_to_nearest<10>(number * number);
  const std::uint32_t factor = shifted_to_nearest<12>(4828081 + 843 * square);
  return share_of(shifted_to_nearest<10>(number * factor), bits);
}

inline port::f32x16 integer_sigmoid(const port::f32x16& x) noexcept {
  return port::for_each_lane(
      [&x](int i) noexcept { return share_of_one<13>(integer_sigmoid(port::Single{x.lane[i]}).number); });
}
inline port::f32x16 integer_gaussian(const port::f32x16& x) noexcept {
  return port::for_each_lane(
      [&x](int i) noexcept { return share_of_one<13>(integer_gaussian(port::Single{x.lane[i]}).number); });
}

}  // namespace heed_own_code
}  // namespace heed::detail
