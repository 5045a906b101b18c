// SPDX-License-Identifier: MIT
//
// Norms number by number, in the order of the vectors that nn/normalization.cpp has.
#pragma once

#include <cstdint>
#include <long_products/top_products.hpp>
#include <long_products/top_sums.hpp>
#include <port.hpp>

namespace heed::detail {

inline constexpr bool has_row_norms = true;

[[nodiscard]] inline float inverse_of_deviation(float sum, float count, float epsilon) noexcept {
  return port::quotient(1.0F, port::square_root(port::sum(port::quotient(sum, count), epsilon)));
}

/// The sum of x [dim].
[[nodiscard]] inline float sum_of_numbers(const float* x, std::uint32_t dim) noexcept {
  port::f32x16 total = port::set(0.0F);
  for (std::uint32_t i = 0; i < dim; ++i) {
    float& lane = total.lane[i % port::lanes];
    lane = port::sum_here<port::integer_unit>(lane, x[i]);
  }
  return port::sum(total);
}

/// The sum of the squares of number(i), dim of them.
template <class Number>
[[nodiscard, gnu::always_inline]] inline float sum_of_squares_of(std::uint32_t dim, const Number& number) noexcept {
  port::f32x16 total = port::set(0.0F);
  std::uint32_t i = 0;
  for (; i < dim && i < port::lanes; ++i) {
    const float x = number(i);
    total.lane[i] = port::product(x, x);
  }
  while (i < dim) {
    for (float *lane = total.lane, *const end = lane + port::lanes; lane != end && i < dim; ++lane, ++i) {
      *lane = port::square_added<port::integer_unit>(number(i), *lane);
    }
  }
  return port::sum(total);
}

/// The sum of the squares of x [dim].
[[nodiscard]] inline float sum_of_squares(const float* x, std::uint32_t dim) noexcept {
  return sum_of_squares_of(dim, [x](std::uint32_t i) noexcept { return x[i]; });
}

/// The sum of the squares of x - mean, [dim], which become `differences`.
[[nodiscard]] inline float sum_of_differences(const float* x, float mean, std::uint32_t dim,
                                              float* differences) noexcept {
  return sum_of_squares_of(
      dim, [=](std::uint32_t i) noexcept { return differences[i] = port::sum_here<port::integer_unit>(x[i], -mean); });
}

/// output = input * factor * weight, [dim] each.
inline void scale_by_weights(const float* input, float factor, const float* weight, std::uint32_t dim,
                             float* output) noexcept {
  const port::RowScale row = port::row_scale_of(factor);
  for (std::uint32_t i = 0; i < dim; ++i) {
    float result;
    if (!port::multiply_both<port::integer_unit>(input[i], row, weight[i], result)) {
      result = port::product(port::product(input[i], factor), weight[i]);
    }
    output[i] = result;
  }
}

/// x, which is the differences from the mean, times factor and weight, and bias added in the same step where there is
/// one; [dim] each.
inline void scale_differences(float factor, const float* weight, const float* bias, std::uint32_t dim,
                              float* x) noexcept {
  const port::RowScale row = port::row_scale_of(factor);
  for (std::uint32_t i = 0; i < dim; ++i) {
    const float scaled = port::multiplied<port::integer_unit>(x[i], row);
    x[i] = bias != nullptr ? port::fused_here<port::integer_unit>(scaled, weight[i], bias[i])
                           : port::product(scaled, weight[i]);
  }
}

/// output = (input - mean) / deviation * weight, and bias added in the same step where it is not null; [dim] each, the
/// output the input or apart from it.
[[nodiscard]] inline bool layer_norm_by_port(const float* input, std::uint32_t dim, const float* weight,
                                             const float* bias, float epsilon, float* output) noexcept {
  const auto count = static_cast<float>(dim);
  const float mean = port::quotient(sum_of_numbers(input, dim), count);
  const float squares = sum_of_differences(input, mean, dim, output);
  scale_differences(inverse_of_deviation(squares, count, epsilon), weight, bias, dim, output);
  return true;
}

/// output = input / root mean square * weight.
[[nodiscard]] inline bool rms_norm_by_port(const float* input, std::uint32_t dim, const float* weight, float epsilon,
                                           float* output) noexcept {
  const float squares = sum_of_squares(input, dim);
  scale_by_weights(input, inverse_of_deviation(squares, static_cast<float>(dim), epsilon), weight, dim, output);
  return true;
}

}  // namespace heed::detail
