// SPDX-License-Identifier: MIT
//
// Scores of rounded queries and the keys of a panel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_outputs.hpp>
#include <kernels/integer_sums.hpp>

#include "common/integer_product.hpp"
#include "heed/arena.hpp"

namespace heed::detail {

/// scores = float(sum) * (scale of the key * scale of the row) of sixteen keys and rows of int8 that are `score_row`
/// floats apart; product.sums are lost.
[[gnu::always_inline]] inline void score_panel(const IntegerProduct& product, const float* scales, float* scores,
                                               std::ptrdiff_t score_row) noexcept {
  integer_sums<DataType::int8, DataType::int8>(product);
  for (std::uint32_t r = 0; r < product.rows; ++r) {
    const float row_scale = *reinterpret_cast<const float*>(product.row(r));
    scale_sums(product.sums + std::size_t{r} * panel_width, scales, row_scale, scores);
    scores += score_row;
  }
}

}  // namespace heed::detail
