// SPDX-License-Identifier: MIT
//
// A product of rows of 8 bits and weights of 8 or 4, y = x W^T, which this library computes from x in float32.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/data.hpp"
#include "machine/measure.hpp"

namespace heed::bench {

struct ProductShape {
  std::uint32_t rows = 1;
  std::uint32_t dim = 4096;        ///< inputs, and as many outputs
  DataType type = DataType::int8;  ///< or int8_multipliers, or int4_multipliers: a scale for every 32 inputs
};

/// Of a weight.
[[nodiscard]] constexpr std::uint32_t bits_of(DataType type) {
  return type == DataType::int4_multipliers ? 4 : 8;
}

[[nodiscard]] Work work_of(const ProductShape& shape);

class ProductCase {
 public:
  explicit ProductCase(const ProductShape& shape);
  ProductCase(const ProductCase&) = delete;
  ProductCase& operator=(const ProductCase&) = delete;

  void run();
  /// Rounds the rows, as run() does, and multiplies nothing.
  void round();

  [[nodiscard]] const ProductShape& shape() const { return shape_; }
  [[nodiscard]] const Floats& x() const { return x_; }                                ///< [rows, dim]
  [[nodiscard]] const std::vector<std::int8_t>& weights() const { return weights_; }  ///< [dim outputs, dim inputs]
  [[nodiscard]] const Floats& scales() const { return scales_; }                      ///< [dim outputs]
  [[nodiscard]] Floats group_scales() const;            ///< [dim outputs, dim / 32], of a type with multipliers
  [[nodiscard]] const Floats& y() const { return y_; }  ///< [rows, dim]
  /// The packed weights, but for what follows their last 256 bytes.
  [[nodiscard]] Reads reads() const;

 private:
  ProductShape shape_;
  LinearPlan plan_;
  Floats x_;
  std::vector<std::int8_t> weights_;
  std::vector<std::int8_t> multipliers_;  ///< [dim outputs, dim / 32], or empty
  Floats scales_;
  Bytes packed_;
  Bytes scratch_;
  Floats y_;
};

}  // namespace heed::bench
