// SPDX-License-Identifier: MIT
#include "product_case.hpp"

#include <algorithm>
#include <cmath>

namespace heed::bench {

Work work_of(const ProductShape& shape) {
  const double weights = 1.0 * shape.dim * shape.dim;
  return {.flop = 2 * shape.rows * weights, .bytes = shape.rows == 1 ? weights : 0};
}

ProductCase::ProductCase(const ProductShape& shape)
    : shape_(shape),
      x_(some_floats(std::size_t{shape.rows} * shape.dim, 1)),
      weights_(std::size_t{shape.dim} * shape.dim),
      scales_(shape.dim),
      y_(x_.size()) {
  const Floats weights = some_floats(weights_.size(), 2);
  constexpr float greatest = 1.75F;  // of uniform numbers of variance 1
  constexpr float steps = 127.0F / greatest;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights_[i] = static_cast<std::int8_t>(std::lrint(weights[i] * steps));
  // Outputs of variance 1, so that products can follow one another.
  std::fill(scales_.begin(), scales_.end(), 1 / (steps * std::sqrt(static_cast<float>(shape.dim))));
  expect(make_plan({.inputs = shape.dim,
                    .outputs = shape.dim,
                    .type = DataType::int8,
                    .bias = false,
                    .row_type = DataType::int8},
                   plan_),
         "a product's plan");
  packed_.resize(plan_.bytes);
  scratch_.resize(std::size_t{std::min(shape.rows, detail::rounded_rows_at_once)} * plan_.row_bytes);
  expect(pack_linear_quantized(plan_, weights_.data(), nullptr, scales_.data(), nullptr, packed_), "packing");
}

void ProductCase::run() {
  const auto dim = static_cast<std::ptrdiff_t>(shape_.dim);
  const Status status =
      linear(plan_, {packed_, &int8_integer_weights}, shape_.rows, {x_.data(), 0, dim}, {y_.data(), 0, dim}, scratch_);
  if (status != Status::ok) expect(status, "linear()");
}

}  // namespace heed::bench
