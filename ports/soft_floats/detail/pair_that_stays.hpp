// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <port.hpp>

namespace heed::detail {

/// Whether x and y, which have to be normal, stay what they are, as those of the first token do.
[[nodiscard, gnu::always_inline]] inline bool stay(float x, float y, float cosine, float sine) noexcept {
  return std::bit_cast<std::uint32_t>(sine) << 1 == 0 &&
         std::bit_cast<std::uint32_t>(cosine) == std::bit_cast<std::uint32_t>(1.0F) &&
         port::is_normal(port::exponent_of(std::bit_cast<std::uint32_t>(x))) &&
         port::is_normal(port::exponent_of(std::bit_cast<std::uint32_t>(y)));
}

}  // namespace heed::detail
