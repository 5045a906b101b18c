// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// The same, where the first 32 bits of the product are not enough.
[[nodiscard, gnu::noinline]] inline std::int32_t round_close_number(float x, float factor) noexcept {
  return port::rounded_product<port::integer_unit>(x, factor);
}

/// x * factor to nearest even where that is below 2^15 and not within a margin of half way: false where it is.
[[nodiscard, gnu::always_inline]] inline bool round_plain_number(float x, float factor, std::uint32_t margin,
                                                                 std::int32_t& number) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto factor_bits = std::bit_cast<std::uint32_t>(factor);
  const std::int32_t places = 284 - port::exponent_of(factor_bits) - port::exponent_of(bits);
  if (static_cast<std::uint32_t>(places - 17) < 15U) {
    const std::uint32_t top =
        port::first_of_product<port::integer_unit>(port::mantissa_of(bits), port::mantissa_of(factor_bits));
    const std::uint32_t rest = top << (32 - places);
    if (rest - (port::sign_bit - margin) >= 2 * margin) {
      const auto magnitude = static_cast<std::int32_t>((top >> places) + (rest >> 31));
      const std::int32_t sign = static_cast<std::int32_t>(bits) >> 31;
      number = (magnitude ^ sign) - sign;
      return true;
    }
  }
  number = 0;
  return places > 32;  // below a half
}

/// x * factor rounded to nearest even, within -2^21..2^21.
[[nodiscard, gnu::always_inline]] inline std::int32_t round_number(float x, float factor) noexcept {
  std::int32_t number;
  // What the first rounding changes is less than 2^9 of 2^32, hence 2^24 of what lies below the integer.
  if (!round_plain_number(x, factor, 1U << 24, number)) number = round_close_number(x, factor);
  return number;
}

}  // namespace heed::detail
