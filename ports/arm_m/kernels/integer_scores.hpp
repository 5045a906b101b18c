// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and the keys of a panel: of two rows, straight from their sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// scores = float(sum) * (scale of the key * scale of the row) of sixteen keys and rows of int8 that are `score_row`
/// floats apart; product.sums are lost.
inline void score_panel(const IntegerProduct& product, const float* scales, float* scores,
                        std::ptrdiff_t score_row) noexcept {
  const auto scale_of_row = [&product](std::uint32_t row) noexcept {
    return *reinterpret_cast<const float*>(product.row(row));
  };
  if (port::unrolled != 1 && product.rows == 2 && product.inputs <= run_inputs<DataType::int8, DataType::int8>) {
    score_two_rows(product, scales, scores, score_row * std::ptrdiff_t{sizeof(float)}, scale_of_row(0),
                   scale_of_row(1));
    return;
  }
  integer_sums<DataType::int8, DataType::int8>(product);
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    scale_sums(product.sums + std::size_t{r} * panel_width, scales, scale_of_row(r), scores);
    scores += score_row;
  }
}

}  // namespace heed::detail
