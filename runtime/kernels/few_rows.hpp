// SPDX-License-Identifier: MIT
//
// Attention of a few rows, whose bound is how fast keys and values are read, for ports that gain by keeping the pauses
// between the products short.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/row_pass.hpp"

namespace heed::detail {

/// The most rows for which the functions below do something; a port without them leaves all rows to multiply() and
/// softmax_row(), as here.
inline constexpr std::uint32_t few_rows = 0;
inline constexpr bool has_few_rows = false;

/// The scores of the panels that pass.keys touches, as multiply() leaves them but for keys beside pass.keys, which are
/// -inf, and the greatest of each row in `maxima` [16], `lowest` for rows that are not there.
constexpr void score_few_rows(const RowPass& /*pass*/, float* /*maxima*/) noexcept {}

/// The same maxima of scores that have changed since; keys beside pass.keys become -inf.
constexpr void find_few_maxima(const RowPass& /*pass*/, float* /*maxima*/) noexcept {}

/// Scores and sums [16] as softmax_row() leaves them, 0 for rows that are not there, and result [rows, value_dim],
/// `result_row` floats apart, the product of the weights and the values; value_dim is a multiple of 16.
constexpr void weigh_few_rows(const RowPass& /*pass*/, const float* /*maxima*/, float* /*sums*/, float* /*result*/,
                              std::ptrdiff_t /*result_row*/) noexcept {}

}  // namespace heed::detail
