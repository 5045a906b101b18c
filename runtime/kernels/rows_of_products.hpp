// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace heed::detail {

/// How many of `most` rows, for which there is room, products of integers are given one after the other while there are
/// more: all of them here, and if they have to be `whole`. More than none, at most `most`; what a row comes to does not
/// depend on it.
[[nodiscard]] constexpr std::uint32_t rows_of_products(std::uint32_t most, bool /*whole*/ = false) noexcept {
  return most;
}

/// Likewise how many query rows pass over the keys together, at most `most`.
[[nodiscard]] constexpr std::uint32_t rows_of_attention(std::uint32_t most, bool floats) noexcept {
  return rows_of_products(most, floats);
}

}  // namespace heed::detail
