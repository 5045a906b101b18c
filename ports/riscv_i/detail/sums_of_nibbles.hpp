// SPDX-License-Identifier: MIT
#pragma once

#include <riscv_f/detail/integer_run.hpp>
#include <riscv_f/detail/single_nibbles.hpp>

#include "heed/format.hpp"
#include "nibble_pairs.hpp"

namespace heed::detail {

/// Sums with weights of 4 bits, of rows of this type.
template <DataType rows>
[[nodiscard]] consteval IntegerRun* nibble_run() noexcept {
  return rows == DataType::int8 ? sums_of_nibble_pairs : sums_of_nibbles;
}

}  // namespace heed::detail
