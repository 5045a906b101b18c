// SPDX-License-Identifier: MIT
#include "tensors/dense_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace heed::tools {

DenseMatrix to_matrix(const nlohmann::json& rows) {
  DenseMatrix matrix{rows.size(), rows.at(0).size(), {}};
  for (const nlohmann::json& row : rows) {
    for (const nlohmann::json& value : row) matrix.values.push_back(value.get<double>());
  }
  return matrix;
}

DenseMatrix to_matrix(std::span<const float> values, std::size_t rows, std::size_t columns) {
  return {rows, columns, {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows * columns)}};
}

std::vector<float> to_floats(const DenseMatrix& matrix) {
  std::vector<float> floats;
  for (const double value : matrix.values) floats.push_back(static_cast<float>(value));
  return floats;
}

DenseMatrix multiply(const DenseMatrix& left, const DenseMatrix& right) {
  const std::vector<float> a = to_floats(left);
  const std::vector<float> b = to_floats(right);
  DenseMatrix product{left.rows, right.columns, {}};
  for (std::size_t row = 0; row < left.rows; ++row) {
    for (std::size_t column = 0; column < right.columns; ++column) {
      float sum = 0.0F;
      for (std::size_t i = 0; i < left.columns; ++i) {
        sum = std::fma(a[row * left.columns + i], b[i * right.columns + column], sum);
      }
      product.values.push_back(static_cast<double>(sum));
    }
  }
  return product;
}

double largest_difference(const DenseMatrix& left, const DenseMatrix& right) {
  double largest = 0.0;
  const std::size_t count = std::min(left.values.size(), right.values.size());
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(left.values[i] - right.values[i]));
  return largest;
}

}  // namespace heed::tools
