// SPDX-License-Identifier: MIT
//
// Between floats and integers of few bits, by shifts.
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// |x| * factor, a power of two, at most `most`, to nearest even; NaN counts as that. `bits` are x's.
template <std::uint32_t most, std::uint32_t factor>
[[nodiscard, gnu::always_inline]] inline std::uint32_t magnitude_within(std::uint32_t bits) noexcept {
  constexpr auto scale = static_cast<float>(factor);
  bits &= ~port::sign_bit;
  if (bits >= std::bit_cast<std::uint32_t>(static_cast<float>(most) / scale)) return most;
  if constexpr (port::takes_small) {
    constexpr std::uint32_t places = static_cast<std::uint32_t>(std::countr_zero(factor));
    return static_cast<std::uint32_t>(port::small_rounding(std::bit_cast<float>(bits + (places << 23))));
  }
  const auto places =
      static_cast<std::int32_t>(119U + static_cast<std::uint32_t>(std::countl_zero(factor)) - (bits >> 23));
  if (places > 24) return 0;  // below a half
  const std::uint32_t mantissa = (bits & 0x7FFFFFU) | 1U << 23;
  const std::uint32_t whole = mantissa >> places;
  const std::uint32_t rest = mantissa << (32 - places);
  return whole + (rest > port::sign_bit - (whole & 1U) ? 1U : 0U);
}

/// number / 2^bits of a number below 2^24.
template <int bits>
[[nodiscard, gnu::always_inline]] inline float share_of_one(std::uint32_t number) noexcept {
  if constexpr (port::takes_small) return port::joined_parts(number, 158 - bits, 0);
  if (number == 0) return 0.0F;
  port::Rounded parts = port::integer_parts<port::integer_unit>(number);
  parts.exponent -= bits;
  return port::join_parts(0, parts);
}

}  // namespace heed_own_code
}  // namespace heed::detail
