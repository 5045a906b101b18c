// SPDX-License-Identifier: MIT
#pragma once

#include "heed/format.hpp"
#include "integer_run.hpp"
#include "single_nibbles.hpp"

namespace heed::detail {

/// Sums with weights of 4 bits, of rows of this type.
template <DataType rows>
[[nodiscard]] consteval IntegerRun* nibble_run() noexcept {
  return sums_of_nibbles;
}

}  // namespace heed::detail
