// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache, by one division for all of them: a product with the
// inverse of the scale, which is off by less than 2^-23, tells what most of them are rounded to.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/detail/round_number.hpp>

#include "../detail/rounded_pairs.hpp"
#include "heed/arena.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// x / scale to nearest even, as floats round it, within -127..127.
[[nodiscard, gnu::noinline]] inline std::int32_t divided_number(float x, float scale) noexcept {
  return rounded_to_integer(port::quotient(x, scale));
}

/// numbers = x / scale, of at most sixteen channels; 0 for a scale of 0 or NaN.
[[gnu::noinline]] inline void divide_channels(const float* x, float scale, std::uint32_t count,
                                              std::int16_t* numbers) noexcept {
  if (!port::less(0.0F, scale)) {
    for (std::uint32_t d = 0; d < count; ++d) numbers[d] = 0;
    return;
  }
  // Others have no inverse that is a normal number.
  const std::int32_t exponent = port::exponent_of(std::bit_cast<std::uint32_t>(scale));
  RoundedPairs pairs{0, 0, 256, 0, 0};
  if (exponent >= 2 && exponent <= 252) pairs = pairs_with(port::quotient(1.0F, scale));
  round_numbers<round_byte_pairs>(x, x + count, numbers, pairs,
                                  [scale](float number) noexcept { return divided_number(number, scale); });
}

/// Calls put(d, number) for the channels [first, first + count), sixteen of them at a time.
template <class Put>
[[gnu::always_inline]] inline void for_each_number(const float* channels, float scale, std::uint32_t first,
                                                   std::uint32_t count, const Put& put) noexcept {
  if constexpr (port::for_size) {
    const bool positive = port::less_from_zero(0.0F, scale);
    for (; count != 0; --count, ++first, ++channels) put(first, positive ? divided_number(*channels, scale) : 0);
    return;
  }
  while (count != 0) {
    const std::uint32_t part = count < panel_width ? count : panel_width;
    std::int16_t numbers[panel_width];
    divide_channels(channels, scale, part, numbers);
    for (std::uint32_t i = 0; i < part; ++i, ++first) put(first, numbers[i]);
    channels += part;
    count -= part;
  }
}

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  for_each_number(channels, scale, first, count, [to](std::uint32_t d, std::int32_t number) noexcept {
    to[std::size_t{d / 4} * 64 + d % 4] = static_cast<std::byte>(d % 2 == 0 ? number + 128 : number);
  });
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  const std::int32_t bias = lane % 2 == 0 ? 128 : 0;
  for_each_number(channels, scale, first, count, [=](std::uint32_t d, std::int32_t number) noexcept {
    to[d / panel_width * step + std::size_t{d % panel_width} * 4 + lane] = static_cast<std::byte>(number + bias);
  });
}

}  // namespace heed_own_code
}  // namespace heed::detail
