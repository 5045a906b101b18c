// SPDX-License-Identifier: MIT
//
// Weights of int8 where some rows are floats and others integers: each matrix is laid out for its own.
#include "format/format.hpp"
#include "format/integer_weights.hpp"
#include "product/integer_linear.hpp"
#include "product/linear.hpp"
#include "product/quantized_linear.hpp"

namespace heed::detail {
namespace {

void multiply_either(const Format& /*format*/, const LinearShare& share) noexcept {
  if (share.plan.row_type == DataType::float32) {
    quantized_linear(heed_int8_weights, share);
  } else {
    integer_linear(heed_int8_integer_weights, share);
  }
}

void round_integer_rows(const LinearPlan& plan, const float* x, std::ptrdiff_t stride, std::uint32_t rows,
                        std::byte* to) noexcept {
  if (plan.row_type != DataType::float32) round_rows_for<DataType::int8>(plan, x, stride, rows, to);
}

}  // namespace
}  // namespace heed::detail

constexpr heed_format heed_int8_mixed_weights = {
    .type = heed::DataType::int8,
    .products = static_cast<std::uint32_t>(heed::DataType::int8) | heed::detail::by_mixed_rows,
    .multiply_panels = nullptr,
    .dequantize_panel = nullptr,
    .multiply = heed::detail::multiply_either,
    .round = heed::detail::round_integer_rows,
    .activate = heed::detail::map_integer_activation};
