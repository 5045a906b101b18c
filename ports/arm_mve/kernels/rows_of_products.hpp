// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// A multiple of the four rows whose products of integers are made at once: two that are left over would be taken one
/// after the other.
[[nodiscard]] constexpr std::uint32_t rows_of_products(std::uint32_t most, bool whole = false) noexcept {
  return whole || most < 4 ? most : most - most % 4;
}

/// Likewise how many query rows pass over the keys together, at most `most`; of floats all of them.
[[nodiscard]] constexpr std::uint32_t rows_of_attention(std::uint32_t most, bool floats) noexcept {
  return rows_of_products(most, floats);
}

}  // namespace heed::detail
