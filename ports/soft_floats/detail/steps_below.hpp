// SPDX-License-Identifier: MIT
//
// How far a score is below the greatest one, in steps of 2^-8, from numbers in places of 2^-20 in place of floats.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

#include "share_parts.hpp"

namespace heed::detail {
inline namespace heed_own_code {

inline constexpr std::uint32_t most_steps_below = 4095;

/// x in units of 2^-20, without what is below one; false for what is not below 2^10, or no number.
[[nodiscard, gnu::always_inline]] inline bool places_of(float x, std::int32_t& number) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::int32_t places = 138 - port::exponent_of(bits);
  if (places < 2) return false;
  const auto size = static_cast<std::int32_t>(places < 32 ? port::mantissa_of(bits) >> places : 0U);
  number = static_cast<std::int32_t>(bits) < 0 ? -size : size;
  return true;
}

/// |maximum - score| rounded to a float and then to steps, by those operations; `below` is the difference.
[[nodiscard, gnu::noinline]] inline std::uint32_t steps_of_difference(float score, float maximum,
                                                                      float& below) noexcept {
  below = port::difference(score, maximum);
  return magnitude_within<most_steps_below, 256>(std::bit_cast<std::uint32_t>(below));
}

}  // namespace heed_own_code
}  // namespace heed::detail
