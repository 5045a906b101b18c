// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/linear.hpp"
#include "heed/types.hpp"

namespace heed::detail {

/// Rows of a dense or strided matrix; the columns are contiguous.
template <class Element>
struct Rows {
  Element* data;
  std::ptrdiff_t stride;
};

/// Output panels [first, end) of a product.
struct LinearShare {
  const LinearPlan& plan;
  const std::byte* packed;
  Rows<const float> x;
  Rows<float> y;
  float* staging;  ///< the worker's own; x in integers, where its rows are
  std::uint32_t rows;
  std::uint32_t first;
  std::uint32_t end;
};

/// Linear layers whose weights lie in the same packed bytes, with what multiplies by them.
struct Linear {
  const std::byte* packed;  ///< what the offsets of a plan count from
  const Format* format;     ///< null: float32
  float* staging;           ///< plan.staging_bytes for each worker, or plan.row_bytes for each row
  const Executor& executor;
  std::uint32_t workers;

  /// y [rows, outputs] = x [rows, inputs] W^T + b; the inputs of all rows should stay in a second-level cache (a
  /// layer's plan takes 64 rows at most). Each element is one chain over ascending inputs that starts from the bias, or
  /// from 0. The output panels are shared out among the workers.
  void multiply(const LinearPlan& plan, const Rows<const float>& x, std::uint32_t rows, const Rows<float>& y,
                bool same_rows = false) const noexcept;
};

/// The weights [inputs] of one output, as floats: a row of an embedding table.
void load_embedding_row(const LinearPlan& plan, const std::byte* packed, const Format* format, std::uint32_t output,
                        float* to) noexcept;

}  // namespace heed::detail
