// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache: x / scale to nearest even, within -127..127, and 0
// for a scale of 0 or NaN. Numbers of even inputs of a product have 128 added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "heed/arena.hpp"

namespace heed::detail {

/// A number as a product's weight holds it.
[[nodiscard]] inline std::byte weight_byte(float x, float scale, std::uint32_t input) noexcept {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the low bits of what is added to it are rounded to an integer
  const std::int32_t q = scale > 0.0F ? std::bit_cast<std::int32_t>(port::sum(port::quotient(x, scale), shift)) -
                                            std::bit_cast<std::int32_t>(shift)
                                      : 0;
  return static_cast<std::byte>(input % 2 == 0 ? q + 128 : q);
}

/// Channels [first, first + count) of a key, four of which lie side by side, 64 bytes from the next; `to` is where the
/// key's first lies.
inline void store_integer_key(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                              std::byte* to) noexcept {
  for (std::uint32_t d = first; d < first + count; ++d) {
    to[std::size_t{d / 4} * 64 + d % 4] = weight_byte(channels[d - first], scale, d);
  }
}

/// Channels of a value, the number `lane` of four: sixteen of them 4 bytes from each other, `step` from the next.
inline void store_integer_value(const float* channels, float scale, std::uint32_t first, std::uint32_t count,
                                std::byte* to, std::size_t step, std::uint32_t lane) noexcept {
  for (std::uint32_t d = first; d < first + count; ++d) {
    to[d / panel_width * step + std::size_t{d % panel_width} * 4 + lane] =
        weight_byte(channels[d - first], scale, lane);
  }
}

}  // namespace heed::detail
