// SPDX-License-Identifier: MIT
//
// Rows of bytes times a matrix of int4_multipliers, from integers to outputs, for ports that gain by taking it whole.
#pragma once

#include "common/integer_product.hpp"

namespace heed::detail {

/// Whether a port has a kernel for it.
inline constexpr bool has_grouped_matrix = false;

/// All rows' products, of block_inputs inputs at most, whose weights are half a byte each; a panel's multipliers
/// [groups, 16] lie between its scales and those of the next one.
inline void multiply_grouped_matrix(const MatrixProduct& /*product*/) noexcept {}

}  // namespace heed::detail
