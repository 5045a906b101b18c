// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache, by one division for all of them: a product with the
// inverse of the scale tells what most of them are rounded to.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <detail/round_number.hpp>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// x / scale to nearest even, as floats round it, within -127..127.
[[nodiscard, gnu::noinline]] inline std::int32_t divided_number(float x, float scale) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the low bits of what is added to it are rounded to an integer
  return std::bit_cast<std::int32_t>(port::sum(port::quotient(x, scale), shift)) - std::bit_cast<std::int32_t>(shift);
}

/// Calls put(d, number) for x [count] over their scale, and with 0 for a scale of 0 or NaN.
template <class Put>
[[gnu::always_inline]] inline void for_each_number(const float* x, float scale, std::uint32_t count,
                                                   const Put& put) noexcept {
  const std::int32_t exponent = port::exponent_of(std::bit_cast<std::uint32_t>(scale));
  const bool plain = exponent > 27 && exponent < 227;
  const bool positive = port::less(0.0F, scale);
  const float inverse = plain ? port::quotient(1.0F, scale) : 0.0F;
  for (std::uint32_t d = 0; d < count; ++d) {
    std::int32_t number = 0;
    // The quotient is rounded, and so are the inverse and hence the product: less than 2^10 of 2^32 in all.
    if (positive && !(plain && round_plain_number(x[d], inverse, 1U << 26, number))) {
      number = divided_number(x[d], scale);
    }
    put(d, number);
  }
}

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  for_each_number(channels, scale, count, [&](std::uint32_t i, std::int32_t number) noexcept {
    const std::uint32_t d = first + i;
    to[std::size_t{d / 4} * 64 + d % 4] = static_cast<std::byte>(d % 2 == 0 ? number + 128 : number);
  });
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  const std::int32_t bias = lane % 2 == 0 ? 128 : 0;
  for_each_number(channels, scale, count, [&](std::uint32_t i, std::int32_t number) noexcept {
    const std::uint32_t d = first + i;
    to[d / panel_width * step + std::size_t{d % panel_width} * 4 + lane] = static_cast<std::byte>(number + bias);
  });
}

}  // namespace heed::detail
