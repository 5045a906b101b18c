// SPDX-License-Identifier: MIT
#include "product_case.hpp"

#include <algorithm>
#include <cmath>
#include <format/format.hpp>

namespace heed::bench {

Work work_of(const ProductShape& shape) {
  const double weights = 1.0 * shape.dim * shape.dim;
  return {.flop = 2 * shape.rows * weights, .bytes = shape.rows == 1 ? weights * bits_of(shape.type) / 8 : 0};
}

namespace {

[[nodiscard]] const Format* format_of(DataType type) {
  if (type == DataType::int8) return &int8_integer_weights;
  return type == DataType::int4_multipliers ? &int4_multiplier_weights : &int8_multiplier_weights;
}

}  // namespace

ProductCase::ProductCase(const ProductShape& shape)
    : shape_(shape),
      x_(some_floats(std::size_t{shape.rows} * shape.dim, 1)),
      weights_(std::size_t{shape.dim} * shape.dim),
      multipliers_(shape.type == DataType::int8 ? 0 : weights_.size() / scale_group_size),
      scales_(shape.dim),
      y_(x_.size()) {
  const Floats weights = some_floats(weights_.size(), 2);
  constexpr float greatest = 1.75F;  // of uniform numbers of variance 1
  const float steps = (bits_of(shape.type) == 4 ? 7.0F : 127.0F) / greatest;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights_[i] = static_cast<std::int8_t>(std::lrint(weights[i] * steps));
  for (std::size_t i = 0; i < multipliers_.size(); ++i)
    multipliers_[i] = static_cast<std::int8_t>(i % 2 == 0 ? 63 : 40);
  // Outputs of variance 1 or less, so that products can follow one another.
  const float most = multipliers_.empty() ? 1.0F : 63.0F;
  std::fill(scales_.begin(), scales_.end(), 1 / (most * steps * std::sqrt(static_cast<float>(shape.dim))));
  expect(make_plan(
             {.inputs = shape.dim, .outputs = shape.dim, .type = shape.type, .bias = false, .row_type = DataType::int8},
             plan_),
         "a product's plan");
  packed_.resize(plan_.bytes);
  scratch_.resize(std::size_t{std::min(shape.rows, detail::rounded_rows_at_once)} * plan_.row_bytes);
  expect(pack_linear_quantized(plan_, weights_.data(), multipliers_.empty() ? nullptr : multipliers_.data(),
                               scales_.data(), nullptr, packed_),
         "packing");
}

Floats ProductCase::group_scales() const {
  Floats scales(multipliers_.size());
  const std::size_t groups = shape_.dim / scale_group_size;
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = scales_[i / groups] * static_cast<float>(multipliers_[i]);
  return scales;
}

void ProductCase::run() {
  const auto dim = static_cast<std::ptrdiff_t>(shape_.dim);
  const Status status =
      linear(plan_, {packed_, format_of(shape_.type)}, shape_.rows, {x_.data(), 0, dim}, {y_.data(), 0, dim}, scratch_);
  if (status != Status::ok) expect(status, "linear()");
}

void ProductCase::round() {
  const Format& format = *format_of(shape_.type);
  const auto dim = static_cast<std::ptrdiff_t>(shape_.dim);
  for (std::uint32_t row = 0; row < shape_.rows; row += detail::rounded_rows_at_once) {
    const std::uint32_t count = std::min(shape_.rows - row, detail::rounded_rows_at_once);
    format.round(plan_, x_.data() + row * dim, dim, count, scratch_.data());
  }
}

Reads ProductCase::reads() const {
  return {.first = {reinterpret_cast<const float*>(packed_.data()), packed_.size() / 256 * 64}};
}

}  // namespace heed::bench
