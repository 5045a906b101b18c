// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// In code for speed a multiple of the three rows whose products are made at once, so that none is left over.
[[nodiscard]] constexpr std::uint32_t rows_of_products(std::uint32_t most, bool whole = false) noexcept {
  return port::unrolled == 1 || whole || most < 3 ? most : most - most % 3;
}

/// All of them: attention takes two at once.
[[nodiscard]] constexpr std::uint32_t rows_of_attention(std::uint32_t most, bool /*floats*/) noexcept {
  return most;
}

}  // namespace heed::detail
