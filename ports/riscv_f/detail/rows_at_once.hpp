// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// Rows that integer_sums() takes at once, at most.
inline constexpr std::uint32_t integer_rows = 4;

/// How many rows' sums with weights of int8 have been made, from the first one on, by taking several at once: a port
/// without a kernel for that leaves them all to others.
template <DataType rows>
[[nodiscard]] constexpr std::uint32_t rows_at_once(const IntegerProduct& /*product*/) noexcept {
  return 0;
}

}  // namespace heed::detail
