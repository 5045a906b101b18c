// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace heed::tools {

/// A matrix of the worked examples. It holds float64 references and, exactly, float32 results.
struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  ///< [rows, columns]

  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// From a list of rows.
[[nodiscard]] DenseMatrix to_matrix(const nlohmann::json& rows);

/// From dense float32 data [rows, columns].
[[nodiscard]] DenseMatrix to_matrix(std::span<const float> values, std::size_t rows, std::size_t columns);

[[nodiscard]] std::vector<float> to_floats(const DenseMatrix& matrix);

/// left * right in float32.
[[nodiscard]] DenseMatrix multiply(const DenseMatrix& left, const DenseMatrix& right);

/// Largest absolute difference over the rows that both have; the columns must be as many.
[[nodiscard]] double largest_difference(const DenseMatrix& left, const DenseMatrix& right);

}  // namespace heed::tools
