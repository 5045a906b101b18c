// SPDX-License-Identifier: MIT
//
// How many rows go through products together, for a port that makes the sums of `integer_rows` rows at once.
#pragma once

#include <cstdint>
#include <detail/rows_at_once.hpp>

namespace heed::detail {

/// A multiple of the rows whose sums are made at once, so that none is left over: four rows would be three and one.
[[nodiscard]] constexpr std::uint32_t rows_of_products(std::uint32_t most, bool whole = false) noexcept {
  return whole || most < integer_rows ? most : most - most % integer_rows;
}

/// Likewise how many query rows pass over the keys together, at most `most`.
[[nodiscard]] constexpr std::uint32_t rows_of_attention(std::uint32_t most, bool floats) noexcept {
  return rows_of_products(most, floats);
}

}  // namespace heed::detail
