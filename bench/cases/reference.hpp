// SPDX-License-Identifier: MIT
//
// The double-precision twins that a benchmark's result is checked against before it is timed, one row at a time: large
// cases are checked on a sample of their rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace heed::bench {

/// Rows of `dim` contiguous floats.
struct RowsView {
  const float* data;
  std::ptrdiff_t stride;

  [[nodiscard]] const float* row(std::size_t index) const { return data + static_cast<std::ptrdiff_t>(index) * stride; }
};

/// One query row and the keys it sees.
struct AttentionRow {
  const float* query;  ///< [head_dim]
  RowsView keys;       ///< [count, head_dim]
  RowsView values;     ///< [count, value_dim]
  std::uint32_t count;
  std::uint32_t head_dim;
  std::uint32_t value_dim;
  const double* added = nullptr;  ///< [count] joins the scores; -inf closes
  double softcap = 0;             ///< 0: none
  double sink = -INFINITY;        ///< a score without a key
};

/// Ends the program unless `output` [value_dim] is softmax(query . key / sqrt(head_dim), changed as the row says) .
/// value within the rounding of
/// single precision, to first order: a chain of n fused multiply-adds is off by at most n 2^-24 sum |terms|.
void check_attention_row(const AttentionRow& row, const float* output, const std::string& what);

/// Ends the program unless `output` [outputs] is weight [outputs, inputs] x + bias within the rounding of one chain per
/// element, and of x by at most `rounding`. A null bias is 0.
void check_projected_row(const float* x, RowsView weight, const float* bias, std::uint32_t inputs,
                         std::uint32_t outputs, const float* output, const std::string& what, double rounding = 0.0);

}  // namespace heed::bench
