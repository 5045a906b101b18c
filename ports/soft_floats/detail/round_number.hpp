// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <port.hpp>
#include <soft_floats/products.hpp>

namespace heed::detail {

/// x * factor rounded to nearest even, within -2^21..2^21.
[[nodiscard]] inline std::int32_t round_number(float x, float factor) noexcept {
  return port::rounded_product<port::integer_unit>(x, factor);
}

}  // namespace heed::detail
