// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// x rounded to nearest even, within -2^21..2^21: the low bits of what an addition leaves.
[[nodiscard]] inline std::int32_t rounded_to_integer(float x) noexcept {
  if constexpr (port::takes_small) return port::small_rounding(x);
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23
  return std::bit_cast<std::int32_t>(port::sum(x, shift)) - std::bit_cast<std::int32_t>(shift);
}

/// x * factor rounded to nearest even, within -2^21..2^21.
[[nodiscard]] inline std::int32_t round_number(float x, float factor) noexcept {
  if constexpr (port::takes_small) return rounded_to_integer(port::product(x, factor));
  return port::rounded_product<port::integer_unit>(x, factor);
}

}  // namespace heed::detail
