// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and many keys, which leave the registers that the sums are in.
#pragma once

#include <kernels/integer_matrix.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// y = float(sum) * (scale * scale of the row) for whole panels of keys.
[[nodiscard]] inline bool score_keys(const MatrixProduct& product) noexcept {
  multiply_panels<DataType::int8>(product, nullptr, 0);
  return true;
}

}  // namespace heed::detail
