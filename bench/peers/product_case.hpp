// SPDX-License-Identifier: MIT
//
// A product of rows and weights of 8 bits, y = x W^T, which this library computes from x in float32.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/data.hpp"
#include "machine/measure.hpp"

namespace heed::bench {

struct ProductShape {
  std::uint32_t rows = 1;
  std::uint32_t dim = 4096;  ///< inputs, and as many outputs
};

[[nodiscard]] Work work_of(const ProductShape& shape);

class ProductCase {
 public:
  explicit ProductCase(const ProductShape& shape);
  ProductCase(const ProductCase&) = delete;
  ProductCase& operator=(const ProductCase&) = delete;

  void run();

  [[nodiscard]] const ProductShape& shape() const { return shape_; }
  [[nodiscard]] const Floats& x() const { return x_; }                                ///< [rows, dim]
  [[nodiscard]] const std::vector<std::int8_t>& weights() const { return weights_; }  ///< [dim outputs, dim inputs]
  [[nodiscard]] const Floats& scales() const { return scales_; }                      ///< [dim outputs]
  [[nodiscard]] const Floats& y() const { return y_; }                                ///< [rows, dim]

 private:
  ProductShape shape_;
  LinearPlan plan_;
  Floats x_;
  std::vector<std::int8_t> weights_;
  Floats scales_;
  Bytes packed_;
  Bytes scratch_;
  Floats y_;
};

}  // namespace heed::bench
