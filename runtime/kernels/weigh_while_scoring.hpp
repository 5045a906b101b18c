// SPDX-License-Identifier: MIT
//
// Decode where a port multiplies the values of one key block and the keys of the next one at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/row_pass.hpp"

namespace heed::detail {

/// The most rows for which it does, at most few_rows.
inline constexpr std::uint32_t rows_weighed_while_scoring = 0;

/// weigh_few_rows() of `weighed` and score_few_rows() of `scored`, which are as many rows and begin with the first keys
/// of their blocks; value_dim is 64.
constexpr void weigh_while_scoring(const RowPass& /*weighed*/, const float* /*maxima*/, float* /*sums*/,
                                   float* /*result*/, std::ptrdiff_t /*result_row*/, const RowPass& /*scored*/,
                                   float* /*scored_maxima*/) noexcept {}

}  // namespace heed::detail
