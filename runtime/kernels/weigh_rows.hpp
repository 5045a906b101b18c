// SPDX-License-Identifier: MIT
//
// The weights of a softmax in integers of several rows and the same keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_softmax.hpp>

#include "common/integer_product.hpp"

namespace heed::detail {

/// Rows that weigh_rows() takes at once; with 1, nobody calls it.
inline constexpr std::uint32_t weighed_rows = 1;

/// weigh_scores() of `count` rows, at least one, that lie `score_row` apart, and `keys` keys in whole panels. A score
/// that its row does not see is minus infinity, whose weight is 0.
inline void weigh_rows(float* scores, std::ptrdiff_t score_row, std::uint32_t count, std::uint32_t keys,
                       const float* scales, WeighedRow* rows) noexcept {
  for (std::uint32_t r = 0; r < count; ++r, scores += score_row) weigh_scores(scores, {0, keys}, scales, rows[r]);
}

}  // namespace heed::detail
