// SPDX-License-Identifier: MIT
//
// Rows times a matrix of int8, from integers to outputs, for ports that gain by doing more at once than a panel's sums.
#pragma once

#include "common/integer_product.hpp"

namespace heed::detail {

/// The most inputs that it takes.
inline constexpr std::uint32_t most_matrix_inputs = block_inputs;

/// How many rows' products have been taken, from the first one on; a port without a kernel leaves them to
/// integer_sums() and add_sums(), as here.
template <DataType rows>
[[nodiscard]] constexpr std::uint32_t multiply_matrix(const MatrixProduct& /*product*/) noexcept {
  return 0;
}

}  // namespace heed::detail
