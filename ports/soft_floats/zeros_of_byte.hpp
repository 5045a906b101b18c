// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

/// How many bits of a byte are 0 above its first one, for an integer unit that does not count them; 0 for 0, whose
/// product with what it scales shows that there is none.
inline constexpr std::array<std::uint8_t, 256> zeros_of_byte = [] {
  std::array<std::uint8_t, 256> zeros{};
  for (std::size_t byte = 1; byte < zeros.size(); ++byte) {
    zeros[byte] = static_cast<std::uint8_t>(std::countl_zero(static_cast<std::uint8_t>(byte)));
  }
  return zeros;
}();

}  // namespace heed_own_code
}  // namespace heed::port
